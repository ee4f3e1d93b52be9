-- Which operator asked for it, where that one may refund no more than so much a day.
ALTER TABLE refunds ADD asked_by text;
CREATE INDEX refunds_asked_by ON refunds (asked_by, created_at) WHERE asked_by IS NOT NULL;
