/**
 * Runs in the page at /docs: starts Swagger UI, and makes up for what it lacks in accessibility.
 * The server puts a line with the `token` in front.
 */

// Swagger UI has a dark theme behind this class, but doesn't follow the system's setting.
const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const followTheme = () =>
  document.documentElement.classList.toggle('dark-mode', prefersDark.matches)
prefersDark.addEventListener('change', followTheme)
followTheme()

/** Shows the Authorize dialog as a native modal, which takes the focus, traps it and restores it. */
function modalAuthorization({ React }) {
  return {
    wrapComponents: {
      authorizationPopup: (Popup) => (props) => {
        const ref = React.useRef(null)
        React.useLayoutEffect(() => {
          const dialog = ref.current
          dialog.showModal()
          dialog.querySelector('input')?.focus()
          return () => dialog.close()
        }, [])
        return React.createElement(
          'dialog',
          {
            ref,
            'aria-label': 'Available authorizations',
            onClose: () => props.authActions.showDefinitions(false),
          },
          React.createElement(Popup, props),
        )
      },
    },
  }
}

/** Shows paths as text: Swagger UI nests a link in the button that expands an operation. */
function plainPaths({ React }) {
  return { components: { DeepLink: ({ text }) => React.createElement('span', null, text) } }
}

/**
 * Shows a documented failure as one line: its status and its names. It opens to their `error` values, messages and headers.
 * Swagger UI gives each failure a screen of its own on a phone.
 */
function shortFailures({ React: { createElement } }) {
  function Failure({ code, response }) {
    const content = response.getIn(['content', 'application/json', 'examples'])
    const examples = content?.entrySeq().toArray() ?? []
    const headers = response.get('headers')?.entrySeq().toArray() ?? []
    const definitions = [
      ...examples.map(([name, example]) => {
        const { error, message } = example.get('value').toJS()
        return [`${error} ${name}`, message]
      }),
      ...headers.map(([name, header]) => [name, header.get('description')]),
    ]
    const names = examples.map(([name]) => name).join(', ')
    return createElement(
      'tr',
      { className: 'response failure', 'data-code': code },
      createElement('td', { className: 'response-col_status' }, code),
      createElement(
        'td',
        { className: 'response-col_description' },
        createElement(
          'details',
          null,
          createElement('summary', null, names),
          createElement(
            'dl',
            null,
            definitions.map(([term, text]) => [
              createElement('dt', { key: `${term}-term` }, term),
              createElement('dd', { key: term }, text),
            ]),
          ),
        ),
      ),
    )
  }
  return {
    wrapComponents: {
      response: (Original) => (props) =>
        createElement(props.code < '400' ? Original : Failure, props),
    },
  }
}

/** Accessible names of controls for which Swagger UI has none, or an identifier. */
const NAMES = {
  '.examples-select-element': 'Example',
  '.body-param__text': 'Request body',
  '.close-modal': 'Close',
  '#auth-bearer-value': 'Token value',
}

function completeControls() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const control of document.querySelectorAll(selector)) control.ariaLabel = name
  }
  // Their labels differ from their texts, so speech input doesn't find them (WCAG 2.5.3).
  for (const button of document.querySelectorAll('.auth-btn-wrapper button')) {
    button.removeAttribute('aria-label')
  }
  // A region that scrolls must be reachable by keyboard (WCAG 2.1.1).
  for (const text of document.querySelectorAll('pre')) {
    if (text.scrollHeight > text.clientHeight || text.scrollWidth > text.clientWidth) {
      text.tabIndex = 0
    }
  }
}

/** The operation that has been executed, until its response is shown. */
let executed
document.addEventListener('click', ({ target }) => {
  if (target.closest('.execute')) executed = target.closest('.opblock')
})

/** Shows the response, which may be below the screen. */
function showResponse() {
  const response = executed?.querySelector('.live-responses-table')
  if (!response) return
  executed = undefined
  response.scrollIntoView({ block: 'nearest' })
}

new MutationObserver(() => {
  completeControls()
  showResponse()
}).observe(document.body, { childList: true, subtree: true })

const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  // Behind a proxy, the server may not know the origin of the page.
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location)
    return Object.assign(request, { url: location.origin + pathname + search })
  },
  syntaxHighlight: { theme: 'tomorrow-night' },
  plugins: [modalAuthorization, plainPaths, shortFailures],
  onComplete() {
    if (token !== null) ui.preauthorizeApiKey('bearerAuth', token)
  },
})
