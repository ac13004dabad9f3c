"""PostgreSQL only: connection, embedded server, migrations, queries. No rule of the product stands here."""
