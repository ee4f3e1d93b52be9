// Implements the parts of https://js.stripe.com/v3/ that the payment page uses.
;(() => {
  type Kind = 'cardNumber' | 'cardExpiry' | 'cardCvc'
  interface Answer {
    id: string
    status: string
    error?: { type: string; code?: string }
  }

  const framesOrigin = 'https://js.stripe.com'
  const titles = {
    cardNumber: 'Secure card number input frame',
    cardExpiry: 'Secure expiration date input frame',
    cardCvc: 'Secure CVC input frame',
  }
  const incompleteCodes = {
    cardNumber: 'incomplete_number',
    cardExpiry: 'incomplete_expiry',
    cardCvc: 'incomplete_cvc',
  }

  /** Waits for one message from a frame. */
  function nextMessage<T>(frame: HTMLIFrameElement, event: string): Promise<T> {
    return new Promise((resolve) => {
      const onMessage = ({ source, data }: MessageEvent) => {
        if (source !== frame.contentWindow || data?.event !== event) return
        removeEventListener('message', onMessage)
        resolve(data.detail)
      }
      addEventListener('message', onMessage)
    })
  }

  function createField(kind: Kind, locale: string, options: object) {
    const frame = document.createElement('iframe')
    const query = new URLSearchParams({ kind, locale, options: JSON.stringify(options) })
    frame.src = `${framesOrigin}/v3/field.html?${query}`
    frame.title = titles[kind]
    frame.style.cssText = 'display: block; width: 100%; height: 20px; border: 0'
    const listeners = new Map<string, (detail: never) => void>()
    const postToFrame = (message: object) => frame.contentWindow?.postMessage(message, framesOrigin)
    const field = {
      kind,
      frame,
      postToFrame,
      complete: false,
      mount(container: HTMLElement) {
        container.append(frame)
        document
          .querySelector<HTMLElement>(`label[for="${container.id}"]`)
          ?.addEventListener('click', () => field.focus())
      },
      focus() {
        frame.contentWindow?.focus()
        postToFrame({ type: 'focus' })
      },
      on: (event: string, listener: (detail: never) => void) => listeners.set(event, listener),
    }
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== frame.contentWindow) return
      if (data.event === 'change') field.complete = data.detail.complete
      if (data.event === 'enter') frame.closest('form')?.requestSubmit()
      // The cast is safe: each listener expects the detail of its event.
      listeners.get(data.event)?.(data.detail as never)
    }
    addEventListener('message', onMessage)
    return field
  }

  /** Shows the bank's page over the form until the bank responds. */
  async function showBankChallenge(publicKey: string, clientSecret: string): Promise<void> {
    const frame = document.createElement('iframe')
    frame.src = `https://hooks.stripe.com/bank.html?${new URLSearchParams({ key: publicKey, client_secret: clientSecret })}`
    frame.title = "The bank's check"
    frame.style.cssText =
      'position: fixed; inset: 0; z-index: 2147483647; width: 100%; height: 100%; border: 0; background: #fff'
    document.body.append(frame)
    await nextMessage(frame, 'answered')
    frame.remove()
  }

  interface Intent {
    amount: number
    currency: string
    setup_future_usage: string | null
  }
  type Deferred = Pick<Partial<Intent>, 'amount' | 'currency'> & { setupFutureUsage?: string | null }

  /** Shows the wallet's sheet. In a real browser, it is outside the page. */
  function openSheet(amount: string): { approved: Promise<string | null>; close(): void } {
    const sheet = document.createElement('dialog')
    sheet.ariaLabel = 'Google Pay'
    sheet.innerHTML = `<p>${amount}</p><label>Card <select>
<option value="4242424242424242">4242</option><option value="4000000000000002">0002</option><option value="4000002760003184">3184</option>
</select></label><button value="pay">Approve</button> <button value="cancel">Cancel</button>`
    document.body.append(sheet)
    sheet.showModal()
    const approved = new Promise<string | null>((resolve) => {
      sheet.addEventListener('click', ({ target }) => {
        if (!(target instanceof HTMLButtonElement)) return
        for (const button of sheet.querySelectorAll('button')) button.disabled = true
        resolve(target.value === 'pay' ? (sheet.querySelector('select')?.value ?? '') : null)
      })
    })
    return { approved, close: () => sheet.remove() }
  }

  /** Creates the Express Checkout Element with Google Pay. */
  function createExpress(intent: Deferred) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Google Pay'
    button.style.cssText = 'width: 100%; height: 52px; border-radius: 26px; background: #fff; color: #000'
    const listeners = new Map<string, (detail: never) => void>()
    // The cast is safe: each listener expects the detail of its event.
    const emit = (event: string, detail: object) => listeners.get(event)?.(detail as never)
    const express = {
      card: '',
      close() {},
      mount(container: HTMLElement) {
        const none = localStorage.getItem('stripe_wallet') === 'none'
        if (!none) container.replaceChildren(button)
        setTimeout(() => emit('ready', none ? {} : { availablePaymentMethods: { googlePay: true } }))
      },
      destroy: () => button.remove(),
      on: (event: string, listener: (detail: never) => void) => listeners.set(event, listener),
    }
    const resolve = async () => {
      const { approved, close } = openSheet(`${intent.amount} ${intent.currency}`)
      const card = await approved
      if (card === null) {
        close()
        return emit('cancel', {})
      }
      Object.assign(express, { card, close })
      emit('confirm', {
        billingDetails: { name: 'Ada Lovelace', email: `ada-${crypto.randomUUID().slice(0, 8)}@example.com` },
        expressPaymentType: 'google_pay',
        paymentFailed: close,
      })
    }
    button.addEventListener('click', () => emit('click', { resolve }))
    return express
  }

  /** Checks that the server's intent matches the sheet, as Stripe does. */
  async function checkIntentMatches(publicKey: string, clientSecret: string, shown: Deferred): Promise<void> {
    const [id] = clientSecret.split('_secret_')
    const query = new URLSearchParams({ key: publicKey, client_secret: clientSecret })
    const read = await fetch(`https://api.stripe.com/v1/payment_intents/${id}?${query}`)
    const { amount, currency, setup_future_usage: usage }: Intent = await read.json()
    const matches = amount === shown.amount && currency === shown.currency && usage === shown.setupFutureUsage
    if (!matches) throw new Error(`IntegrationError: ${JSON.stringify({ amount, currency, usage, shown })}`)
  }

  window.Stripe = (publicKey) => {
    const fields: ReturnType<typeof createField>[] = []
    let express: ReturnType<typeof createExpress> | undefined
    return {
      elements({ locale, ...intent }) {
        function create(kind: Kind, options: object): ReturnType<typeof createField>
        function create(kind: 'expressCheckout', options: object): ReturnType<typeof createExpress>
        function create(kind: Kind | 'expressCheckout', options: object) {
          if (kind === 'expressCheckout') return (express = createExpress(intent))
          const field = createField(kind, locale, options)
          fields.push(field)
          return field
        }
        return {
          intent,
          create,
          update: (change) => void Object.assign(intent, change),
          submit: async () => ({}),
        }
      },
      async confirmPayment({ elements, clientSecret }) {
        const { intent } = elements as typeof elements & { intent: Deferred }
        await checkIntentMatches(publicKey, clientSecret, intent)
        const [id] = clientSecret.split('_secret_')
        const body = new URLSearchParams({
          key: publicKey,
          client_secret: clientSecret,
          'payment_method_data[type]': 'card',
          'payment_method_data[card][number]': express?.card ?? '',
        })
        const sent = await fetch(`https://api.stripe.com/v1/payment_intents/${id}/confirm`, {
          method: 'POST',
          body,
        })
        express?.close()
        return afterConfirm(publicKey, clientSecret, await sent.json())
      },
      confirmCardPayment: confirm,
      async handleNextAction({ clientSecret }) {
        await showBankChallenge(publicKey, clientSecret)
        return {}
      },
      confirmCardSetup: confirm,
    }

    /** Confirms a payment intent or a setup intent, depending on the secret. */
    async function confirm(clientSecret: string, data: object) {
      const shown = fields.filter(({ frame }) => frame.isConnected)
      const [number] = shown
      const incomplete = shown.find(({ complete }) => !complete)
      if (incomplete || !number) {
        const code = incompleteCodes[incomplete?.kind ?? 'cardNumber']
        return { error: { type: 'validation_error', code } }
      }
      const confirmed = nextMessage<Answer>(number.frame, 'confirmed')
      number.postToFrame({
        type: 'confirm',
        publicKey,
        clientSecret,
        data: JSON.stringify(data, withoutFields),
      })
      return afterConfirm(publicKey, clientSecret, await confirmed)
    }
  }

  /** Returns the result of a confirmed intent, after 3-D Secure if the bank requires it. */
  async function afterConfirm(publicKey: string, clientSecret: string, { error, ...intent }: Answer) {
    if (error) return { error }
    if (intent.status !== 'requires_action') return {}
    await showBankChallenge(publicKey, clientSecret)
    const query = new URLSearchParams({ key: publicKey, client_secret: clientSecret })
    const read = await fetch(`https://api.stripe.com/v1/${kindOf(intent.id)}/${intent.id}?${query}`)
    const { status }: Answer = await read.json()
    if (status === 'succeeded') return {}
    return { error: { type: 'invalid_request_error', code: 'payment_intent_authentication_failure' } }
  }

  const kindOf = (id: string) => (id.startsWith('seti_') ? 'setup_intents' : 'payment_intents')

  const withoutFields = (name: string, value: unknown) => (name === 'card' ? undefined : value)
})()
