"""Who may do what: accounts, teams, login, tokens, endpoints, capability letters."""
