"""What more than one paper measures beyond scores, as functions of plain data."""
