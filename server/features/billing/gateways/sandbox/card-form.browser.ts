// This script runs in the frame of the card form. It is served as JavaScript with its types removed. It sends input
// only to /sandbox/tokens.

interface Brand {
  type: string
  name: string
  patterns: (number | [number, number])[]
  gaps: number[]
  lengths: number[]
  cvv: number
}

type FieldName = 'number' | 'expiry' | 'cvv'

const form = find('card', HTMLFormElement)
const inputs = {
  number: find('number', HTMLInputElement),
  expiry: find('expiry', HTMLInputElement),
  cvv: find('cvv', HTMLInputElement),
}
const names: FieldName[] = ['number', 'expiry', 'cvv']
// The type is correct, because our server writes this attribute (`cardFormPage`).
const brands: Brand[] = JSON.parse(form.dataset.brands ?? '[]')

function find<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`there is no ${id}`)
  return element
}

function postToParent(message: Record<string, unknown>): void {
  window.parent.postMessage(message, window.location.origin)
}

const digitsOf = (text: string) => text.replaceAll(/\D/g, '')

/** Returns the brand of a number. If several brands match, the one with the longest matching pattern wins. */
function brandOf(digits: string): Brand | undefined {
  const strength = (pattern: number | [number, number]) => {
    const [low, high] = Array.isArray(pattern) ? pattern : [pattern, pattern]
    const size = String(low).length
    const head = Number(digits.slice(0, size))
    return digits.length >= size && head >= low && head <= high ? size : 0
  }
  const rated = brands.map((brand) => ({ brand, size: Math.max(...brand.patterns.map(strength)) }))
  return rated.filter(({ size }) => size > 0).toSorted((a, b) => b.size - a.size)[0]?.brand
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const validators: Record<FieldName, () => boolean> = {
  number() {
    const digits = digitsOf(inputs.number.value)
    return (brandOf(digits)?.lengths.includes(digits.length) ?? false) && passesLuhn(digits)
  },
  expiry() {
    const [, month = 0, year = 0] = (/^(\d\d) ?\/ ?(\d\d)$/.exec(inputs.expiry.value) ?? []).map(Number)
    const now = new Date()
    const monthsToExpiry = (2000 + year) * 12 + month - (now.getFullYear() * 12 + now.getMonth() + 1)
    return month >= 1 && month <= 12 && monthsToExpiry >= 0 && monthsToExpiry < 20 * 12
  },
  cvv: () => new RegExp(`^\\d{${brandOf(digitsOf(inputs.number.value))?.cvv ?? 3}}$`).test(inputs.cvv.value),
}

/** Formats the digits of an input with `write`, and keeps the caret after the same digit. */
function formatInput(input: HTMLInputElement, write: (digits: string) => string): void {
  const caret = digitsOf(input.value.slice(0, input.selectionStart ?? input.value.length)).length
  const atEnd = input.selectionStart === input.value.length
  const written = write(digitsOf(input.value))
  if (written === input.value) return
  input.value = written
  let [position, seen] = [0, 0]
  while (position < written.length && seen < caret) if (/\d/.test(written[position++] ?? '')) seen++
  if (document.activeElement === input)
    input.setSelectionRange(atEnd ? written.length : position, atEnd ? written.length : position)
}

function formatNumber(digits: string): string {
  const brand = brandOf(digits)
  const allowed = digits.slice(0, Math.max(...(brand?.lengths ?? [19])))
  const gaps = brand?.gaps ?? [4, 8, 12]
  return [...allowed].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('')
}

function formatExpiry(digits: string): string {
  const filled = /^[2-9]/.test(digits) ? `0${digits}` : digits
  // Shortens MM/YYYY, which the browser's autofill may enter, to MM/YY.
  const short =
    filled.length === 6 && filled.slice(2, 4) === '20'
      ? filled.slice(0, 2) + filled.slice(4)
      : filled.slice(0, 4)
  return short.length > 2 ? `${short.slice(0, 2)} / ${short.slice(2)}` : short
}

function showMessage(name: FieldName, message: string): void {
  inputs[name].setAttribute('aria-invalid', String(message !== ''))
  find(`${name}-error`, HTMLElement).textContent = message
}

const messageOf = (name: FieldName) => (validators[name]() ? '' : (inputs[name].dataset.message ?? ''))

function postChange(): void {
  const brand = brandOf(digitsOf(inputs.number.value))
  find('brand', HTMLElement).textContent = brand?.name ?? ''
  postToParent({
    type: 'changed',
    brand: brand?.type ?? null,
    valid: names.every((name) => validators[name]()),
  })
}

/** Shows a message at a field, focuses the field, and notifies the parent page. */
function showError(name: FieldName, message: string): void {
  showMessage(name, message)
  inputs[name].focus()
  postToParent({ type: 'invalid', field: name, message })
}

let busy = false

async function tokenize(): Promise<void> {
  if (busy) return
  for (const name of names) showMessage(name, messageOf(name))
  const bad = names.find((name) => !validators[name]())
  if (bad) return showError(bad, messageOf(bad))
  busy = true
  const answer = await askForToken().catch(() => ({
    field: 'number' as const,
    message: form.dataset.failed ?? '',
  }))
  busy = false
  if ('token' in answer) postToParent({ type: 'token', ...answer })
  else showError(answer.field, answer.message)
}

async function askForToken(): Promise<
  { token: string; brand: string; last4: string } | { field: FieldName; message: string }
> {
  const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, inputs[name].value])))
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(20_000),
  }
  const response = await fetch(`/sandbox/tokens${window.location.search}`, options)
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

const formatters: Partial<Record<FieldName, (digits: string) => string>> = {
  number: formatNumber,
  expiry: formatExpiry,
  cvv: (digits) => digits.slice(0, 4),
}

function handleInput(name: FieldName): void {
  const [input, write] = [inputs[name], formatters[name]]
  if (write) formatInput(input, write)
  if (input.getAttribute('aria-invalid') === 'true') showMessage(name, messageOf(name))
  postChange()
}

for (const name of names) {
  const input = inputs[name]
  input.addEventListener('input', () => handleInput(name))
  input.addEventListener('blur', () => {
    // If the whole window loses the focus, the field is still the active element, and no message is shown.
    if (document.activeElement !== input) showMessage(name, messageOf(name))
  })
}
form.addEventListener('submit', (event) => {
  event.preventDefault()
  void tokenize()
})
window.addEventListener('message', (event) => {
  if (event.origin !== window.location.origin || event.source !== window.parent) return
  if (event.data?.type === 'tokenize') void tokenize()
  if (event.data?.type === 'check') for (const name of names) showMessage(name, messageOf(name))
})
new ResizeObserver(() =>
  postToParent({ type: 'height', height: Math.ceil(form.getBoundingClientRect().height) }),
).observe(form)
postToParent({ type: 'ready' })
// Handles input that was typed or autofilled before this script loaded.
for (const name of names) if (inputs[name].value) handleInput(name)
