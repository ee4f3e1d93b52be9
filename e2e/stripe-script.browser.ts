// Stands in for https://js.stripe.com/v3/, as far as the card form makes use of it.
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
  const unfinished = {
    cardNumber: 'incomplete_number',
    cardExpiry: 'incomplete_expiry',
    cardCvc: 'incomplete_cvc',
  }

  /** Waits for one message of a frame's. */
  function heard<T>(frame: HTMLIFrameElement, event: string): Promise<T> {
    return new Promise((resolve) => {
      const hear = ({ source, data }: MessageEvent) => {
        if (source !== frame.contentWindow || data?.event !== event) return
        removeEventListener('message', hear)
        resolve(data.detail)
      }
      addEventListener('message', hear)
    })
  }

  function createField(kind: Kind, locale: string, options: object) {
    const frame = document.createElement('iframe')
    const query = new URLSearchParams({ kind, locale, options: JSON.stringify(options) })
    frame.src = `${framesOrigin}/v3/field.html?${query}`
    frame.title = titles[kind]
    frame.style.cssText = 'display: block; width: 100%; height: 20px; border: 0'
    const hearers = new Map<string, (detail: never) => void>()
    const tell = (message: object) => frame.contentWindow?.postMessage(message, framesOrigin)
    const field = {
      kind,
      frame,
      tell,
      complete: false,
      mount(place: HTMLElement) {
        place.append(frame)
        document
          .querySelector<HTMLElement>(`label[for="${place.id}"]`)
          ?.addEventListener('click', () => field.focus())
      },
      focus() {
        frame.contentWindow?.focus()
        tell({ type: 'focus' })
      },
      on: (event: string, hearer: (detail: never) => void) => hearers.set(event, hearer),
    }
    const hear = ({ source, data }: MessageEvent) => {
      if (source !== frame.contentWindow) return
      if (data.event === 'change') field.complete = data.detail.complete
      if (data.event === 'enter') frame.closest('form')?.requestSubmit()
      // Each hearer gets what its event brings.
      hearers.get(data.event)?.(data.detail as never)
    }
    addEventListener('message', hear)
    return field
  }

  /** The bank's page lies over the form until it has an answer. */
  async function askBank(publicKey: string, clientSecret: string): Promise<void> {
    const frame = document.createElement('iframe')
    frame.src = `https://hooks.stripe.com/bank.html?${new URLSearchParams({ key: publicKey, client_secret: clientSecret })}`
    frame.title = "The bank's check"
    frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0; background: #fff'
    document.body.append(frame)
    await heard(frame, 'answered')
    frame.remove()
  }

  window.Stripe = (publicKey) => {
    const fields: ReturnType<typeof createField>[] = []
    return {
      elements: ({ locale }) => ({
        create(kind, options) {
          const field = createField(kind, locale, options)
          fields.push(field)
          return field
        },
      }),
      confirmCardPayment: confirm,
      confirmCardSetup: confirm,
    }

    /** The card goes to a payment, or to what keeps it: the secret says which. */
    async function confirm(clientSecret: string, data: object) {
      const shown = fields.filter(({ frame }) => frame.isConnected)
      const [number] = shown
      const bad = shown.find(({ complete }) => !complete)
      if (bad || !number) {
        const code = unfinished[bad?.kind ?? 'cardNumber']
        return { error: { type: 'validation_error', code } }
      }
      const confirmed = heard<Answer>(number.frame, 'confirmed')
      number.tell({ type: 'confirm', publicKey, clientSecret, data: JSON.stringify(data, withoutFields) })
      const { error, ...intent } = await confirmed
      if (error) return { error }
      if (intent.status !== 'requires_action') return {}
      await askBank(publicKey, clientSecret)
      const query = new URLSearchParams({ key: publicKey, client_secret: clientSecret })
      const read = await fetch(`https://api.stripe.com/v1/${kindOf(intent.id)}/${intent.id}?${query}`)
      const { status }: Answer = await read.json()
      if (status === 'succeeded') return {}
      return { error: { type: 'invalid_request_error', code: 'payment_intent_authentication_failure' } }
    }
  }

  const kindOf = (id: string) => (id.startsWith('seti_') ? 'setup_intents' : 'payment_intents')

  const withoutFields = (name: string, value: unknown) => (name === 'card' ? undefined : value)
})()
