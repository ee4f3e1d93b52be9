// One of Stripe's card fields, in its own frame. The field sends its input only to Stripe's API.
;(() => {
  type Kind = 'cardNumber' | 'cardExpiry' | 'cardCvc'
  interface Options {
    placeholder: string
    style: { base: Record<string, string | Record<string, string>>; invalid: { color: string } }
  }

  const query = new URLSearchParams(location.search)
  // The cast is safe: stripe-script.browser.ts sets this parameter.
  const kind = query.get('kind') as Kind
  const options: Options = JSON.parse(query.get('options') ?? '{}')
  const labels = {
    cardNumber: 'Credit or debit card number',
    cardExpiry: 'Credit or debit card expiration date',
    cardCvc: 'Credit or debit card CVC/CVV',
  }
  const codes = { cardNumber: 'number', cardExpiry: 'expiry', cardCvc: 'cvc' }

  const input = document.createElement('input')
  input.ariaLabel = labels[kind]
  input.placeholder = options.placeholder
  input.inputMode = 'numeric'
  const { base, invalid } = options.style
  const placeholderColor = Object(base['::placeholder'])['color']
  const styleElement = document.createElement('style')
  styleElement.textContent = `body { margin: 0; background: ${base['backgroundColor']} }
input { width: 100%; height: 20px; padding: 0; border: 0; outline: 0; background: transparent; color: ${base['color']};
  font: ${base['fontSize']}/20px ${base['fontFamily']} }
input::placeholder { color: ${placeholderColor}; opacity: 1 }
input[aria-invalid=true] { color: ${invalid.color} }`
  document.head.append(styleElement)
  document.body.append(input)
  document.documentElement.lang = query.get('locale') ?? ''
  document.title = labels[kind]

  const emit = (event: string, detail?: unknown) => parent.postMessage({ event, detail }, '*')
  const digits = () => input.value.replaceAll(/\D/g, '')

  function passesLuhn(number: string): boolean {
    const sum = [...number].toReversed().reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    return sum % 10 === 0
  }

  function isComplete(): boolean {
    if (kind === 'cardCvc') return /^\d{3,4}$/.test(digits())
    if (kind === 'cardNumber') return digits().length === 16 && passesLuhn(digits())
    const [, month = 0, year = 0] = (/^(\d\d)(\d\d)$/.exec(digits()) ?? []).map(Number)
    const now = new Date()
    return month >= 1 && month <= 12 && (2000 + year) * 12 + month > now.getFullYear() * 12 + now.getMonth()
  }

  /**
   * Reports the state of the field. As at Stripe, a wrong input is an error when the field loses the focus. A wrong
   * card number is also an error as soon as it has its full length.
   */
  function emitChange(left: boolean): void {
    const complete = isComplete()
    const empty = input.value === ''
    const isLong = kind === 'cardNumber' && digits().length >= 16
    const wrong = !complete && !empty && (left || isLong)
    input.ariaInvalid = String(wrong)
    const code = `${isLong ? 'invalid' : 'incomplete'}_${codes[kind]}`
    emit('change', { complete, empty, ...(wrong ? { error: { type: 'validation_error', code } } : {}) })
  }

  input.addEventListener('input', () => emitChange(false))
  input.addEventListener('focus', () => emit('focus'))
  input.addEventListener('blur', () => {
    if (!isComplete() && input.value !== '') emitChange(true)
    emit('blur')
  })
  input.addEventListener('keydown', ({ key }) => key === 'Enter' && emit('enter'))

  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return
    if (data.type === 'focus') input.focus()
    if (data.type === 'confirm') void confirm(data)
  })

  async function confirm(request: { publicKey: string; clientSecret: string }): Promise<void> {
    const { publicKey, clientSecret } = request
    const body = new URLSearchParams({
      key: publicKey,
      client_secret: clientSecret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': digits(),
    })
    const [id] = clientSecret.split('_secret_')
    const kind = id?.startsWith('seti_') ? 'setup_intents' : 'payment_intents'
    const sent = fetch(`https://api.stripe.com/v1/${kind}/${id}/confirm`, { method: 'POST', body })
    const answer = await sent
      .then((response) => response.json())
      .catch(() => ({ error: { type: 'api_connection_error' } }))
    emit('confirmed', answer)
  }

  emit('ready')
})()
