"""The merge engine: byte-pair encoding on word types with counts, behind bpe, sbpe, random-bpe and VOLT.

>>> from subwords.merges import MergeEncoder, learn_merges
>>> merges = learn_merges({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 4)
>>> merges
[('s', 't</w>'), ('e', 'st</w>'), ('l', 'o'), ('w', 'est</w>')]
>>> MergeEncoder(merges).segment_words(["lowest", "new"])
['lo@@ west', 'n@@ e@@ w']

Encoding applies the merge that comes first in the list to all its occurrences from left to right, then the next, until
none applies, as subword-nmt's apply-bpe does. Characters that no merge knows stay single.
"""

from subwords.core.pieces import MergeSplitter as MergeEncoder
from subwords.merges.codes import END, Merge, read_codes, write_codes
from subwords.merges.learning import learn_merges, learn_stages, most_merges

__all__ = ["END", "Merge", "MergeEncoder", "learn_merges", "learn_stages", "most_merges", "read_codes", "write_codes"]
