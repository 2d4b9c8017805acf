// Tables sort by a column when its name is pressed: numbers by value, missing ones last; a second press turns the order.
"use strict";
for (const table of document.querySelectorAll("table.sortable:not(.differences)")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending" ||
        (!heading.hasAttribute("aria-sort") && column > 0);
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value;
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === "" || y === "") return (x === "") - (y === "");
        return down ? y - x : x - y;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
