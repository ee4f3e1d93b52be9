-- Whoever leaves is found by their address, in whatever case, and by the orders that a mail is about.
DROP INDEX given_up_mails_recipient;
CREATE INDEX given_up_mails_recipient ON given_up_mails (lower(recipient));
CREATE INDEX given_up_mails_order ON given_up_mails ((fields ->> 'order'));
