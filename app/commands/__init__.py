"""What the command line does, by who asks for it.

- `database`: which database a command means, and how an error becomes one line.
- `up`: everything at once, for the first minute and for development; `demo` is what it shows.
- `run`: the service, the clock, psql.
- `upkeep`: migrate, doctor, verify.
- `transfer`: lists of leads, in and out.
- `spec`: the stage model as a document.
- `team`: workspaces and their people; `access`: logins, tokens, the signing key; `credentials` is how all of
  them are made.
"""
