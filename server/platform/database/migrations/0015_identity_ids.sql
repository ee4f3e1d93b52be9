-- What an identity is called outside: a person may have several at one provider, and issuer and subject are nobody's business.
ALTER TABLE identities ADD COLUMN id text;
UPDATE identities SET id = 'idn_' || replace(gen_random_uuid()::text, '-', '');
ALTER TABLE identities ALTER COLUMN id SET NOT NULL, ADD UNIQUE (id);
