/** Returns the approval page of the fake PayPal; without an amount it asks for consent to later payments. */
export function walletPage(amount: { currency_code: string; value: string } | undefined): string {
  return `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>Fake PayPal</title>
<h1>${amount ? `Pay ${amount.value} ${amount.currency_code}` : 'Agree to later payments'}</h1>
<form method="post">
<button name="answer" value="yes">${amount ? 'Pay now' : 'Agree'}</button>
<button name="answer" value="no">Cancel and return</button>
</form>
</html>`
}
