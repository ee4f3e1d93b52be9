// This script runs in the express wallet's sheet. It is served as JavaScript with its types removed. An approval
// creates a card token.
;(() => {
  /** The purchase as the payment page describes it, in the viewer's language. */
  interface Purchase {
    shop: string
    amount: string
    line: string
  }

  const sheet = find('sheet', HTMLDialogElement)
  const form = find('pay', HTMLFormElement)
  const card = find('number', HTMLSelectElement)
  const confirm = find('confirm', HTMLButtonElement)
  const owner = ownerOfWallet()

  function find<E extends HTMLElement>(id: string, kind: new () => E): E {
    const element = document.getElementById(id)
    if (!(element instanceof kind)) throw new Error(`there is no ${id}`)
    return element
  }

  const setText = (id: string, text: string) => (find(id, HTMLElement).textContent = text)

  function postToParent(message: Record<string, unknown>): void {
    window.parent.postMessage(message, window.location.origin)
  }

  /**
   * Returns the wallet's owner. Each browser has its own address, because an address gets the introductory price only
   * once.
   */
  function ownerOfWallet(): { email: string; name: string } {
    const key = 'sandbox_wallet'
    const address = localStorage.getItem(key) ?? `wallet-${crypto.randomUUID().slice(0, 8)}@example.com`
    localStorage.setItem(key, address)
    return { email: address, name: 'Ada Lovelace' }
  }

  function show({ shop, amount, line }: Purchase): void {
    setText('shop', shop)
    setText('amount', amount)
    setText('line', line)
    setText('email', owner.email)
    setText('confirm', (confirm.dataset['label'] ?? '').replace('{amount}', amount))
    if (!sheet.open) sheet.showModal()
    confirm.focus()
  }

  async function askForToken(): Promise<string> {
    const expiry = `12 / ${(new Date().getFullYear() + 10) % 100}`
    const response = await fetch('/sandbox/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ number: card.value, expiry, cvv: '123' }),
      signal: AbortSignal.timeout(20_000),
    })
    if (!response.ok) throw new Error(String(response.status))
    const { token } = await response.json()
    if (typeof token !== 'string') throw new Error('there is no token')
    return token
  }

  function setBusy(busy: boolean): void {
    for (const control of [card, confirm, find('cancel', HTMLButtonElement)]) control.disabled = busy
    sheet.ariaBusy = String(busy)
  }

  async function approve(): Promise<void> {
    if (confirm.disabled) return
    setText('error', '')
    setBusy(true)
    try {
      postToParent({ type: 'approved', token: await askForToken(), ...owner })
    } catch {
      setText('error', form.dataset['failed'] ?? '')
      setBusy(false)
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void approve()
  })
  find('cancel', HTMLButtonElement).addEventListener('click', () => postToParent({ type: 'cancelled' }))
  sheet.addEventListener('cancel', (event) => {
    event.preventDefault()
    // An approval that was already sent cannot be cancelled.
    if (!confirm.disabled) postToParent({ type: 'cancelled' })
  })
  window.addEventListener('message', (event) => {
    if (event.origin !== window.location.origin || event.source !== window.parent) return
    if (event.data?.type === 'show') show(event.data)
  })
  postToParent({ type: 'ready' })
})()
