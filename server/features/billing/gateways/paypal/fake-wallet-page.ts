/** What a person sees at the stand-in for PayPal. */
export function walletPage(amount: { currency_code: string; value: string } | undefined): string {
  return `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>PayPal stand-in</title>
<h1>Pay ${amount?.value} ${amount?.currency_code}</h1>
<form method="post">
<button name="answer" value="yes">Pay now</button>
<button name="answer" value="no">Cancel and return</button>
</form>
</html>`
}
