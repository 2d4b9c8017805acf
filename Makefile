# make help lists the targets.
