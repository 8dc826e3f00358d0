"""Our plumbing: knows no table, no noun of the product and no Flask."""
