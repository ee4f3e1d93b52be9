-- What a provider calls the person: of two profiles at one provider the member sees which is which.
ALTER TABLE identities ADD COLUMN known_as text;
