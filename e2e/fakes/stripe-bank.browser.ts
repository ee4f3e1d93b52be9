// The bank's page for 3-D Secure, in the frame that Stripe's script shows over the form.
;(() => {
  const query = new URLSearchParams(location.search)
  const [id] = (query.get('client_secret') ?? '').split('_secret_')

  for (const button of document.querySelectorAll('button'))
    button.addEventListener('click', async () => {
      const body = new URLSearchParams([...query, ['answer', button.value]])
      const kind = id?.startsWith('seti_') ? 'setup_intents' : 'payment_intents'
      await fetch(`https://api.stripe.com/v1/${kind}/${id}/answer`, { method: 'POST', body })
      parent.postMessage({ event: 'answered' }, '*')
    })
})()
