"""The SMTP door: takes mail for the inbound domain, and no other."""
