"""Documents that others made are read in processes of their own, each confined and gone after its one job."""
