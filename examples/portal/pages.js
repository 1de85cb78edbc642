/** A text that is HTML already. */
class Html {
  constructor(text) {
    this.text = text;
  }
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes every value that is not HTML itself; of a list, each. */
function html(texts, ...values) {
  const shown = values.map((value) => [value].flat().map(shownOf).join(''));
  return new Html(texts.map((text, index) => text + (shown[index] ?? '')).join(''));
}

const shownOf = (value) => (value instanceof Html ? value.text : escape(value));

function escape(value) {
  return String(value ?? '').replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** @param user who has logged in; undefined: nobody */
function page(title, content, user) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Example Bank</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/portal.css" />
        <script type="module" src="/tankeeper-challenge.js"></script>
        <script type="module" src="/portal.js"></script>
      </head>
      <body>
        <header>
          <a href="/"><img src="/icon.svg" alt="" /> Example Bank</a>
          ${
            user === undefined
              ? ''
              : html`<form method="post" action="/logout"><button>Log out ${user}</button></form>`
          }
        </header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
        <footer>An example portal of tankeeper: no bank, and no money.</footer>
      </body>
    </html>`.text;
}

export const login = (problem) =>
  page(
    'Log in',
    html`${problem ? html`<p role="alert">${problem}</p>` : ''}
      <form method="post" action="/login">
        <label>Name <input name="user" autocomplete="username" required /></label>
        <label
          >Password <input name="password" type="password" autocomplete="current-password" required
        /></label>
        <button>Log in</button>
      </form>`,
  );

const STATES = {
  paid: 'Paid',
  declined: 'Declined by you',
  reported: 'Reported by you',
  stopped: 'Stopped',
  expired: 'Expired',
  open: 'To be confirmed',
};

export const message = (text) =>
  page(
    'Example Bank',
    html`<p>${text}</p>
      ${back}`,
  );

/**
 * @param payments with their states
 * @param order the id of the next payment: submitted twice, the form makes one
 */
export const home = ({ user, payments, order }) =>
  page(
    `Welcome, ${user}`,
    html`<form method="post" action="/payments">
        <input type="hidden" name="order" value="${order}" />
        <label>Amount in EUR <input name="amount" inputmode="numeric" value="120" required /></label>
        <label>Payee <input name="payee" value="Bert" maxlength="50" required /></label>
        <button>Pay</button>
      </form>
      <h2>Your payments</h2>
      <ul class="payments">
        ${payments.map(
          ({ id, amount, payee, state }) =>
            html`<li class="${state}">
              <a href="/payments/${id}">${amount} EUR to ${payee}</a> <span>${STATES[state]}</span>
            </li>`,
        )}
      </ul>`,
    user,
  );

/** The text that the app shows, and that the response confirms. */
export const paymentText = ({ amount, payee }) => `Pay ${amount} EUR to ${payee}?`;

export const payment = ({ payment, state, challenge, appUrl }) =>
  ({
    paid: () =>
      page(
        'Payment done',
        html`<p>${payment.amount} EUR to ${payment.payee}</p>
          ${back}`,
      ),
    declined: () =>
      page(
        'Payment declined',
        html`<p>You have declined ${payment.amount} EUR to ${payment.payee} in your app. Nothing is paid.</p>
          ${back}`,
      ),
    reported: () =>
      page(
        'Payment stopped',
        html`<p role="alert">
            You have told us in your app that you did not order ${payment.amount} EUR to ${payment.payee}.
            Nothing is paid. Somebody else may know your password: please change it. We call you.
          </p>
          ${back}`,
      ),
    stopped: () =>
      page(
        'Payment stopped',
        html`<p>There were too many wrong responses, or newer payments.</p>
          ${back}`,
      ),
    expired: () =>
      page(
        'Payment expired',
        html`<p>It was not confirmed in time.</p>
          ${back}`,
      ),
    open: () =>
      page(
        'Confirm the payment',
        html`<p>${paymentText(payment)}</p>
          <p>Confirm only if your app shows the same.</p>
          <tankeeper-challenge
            transaction="${challenge.transaction}"
            data="${challenge.code}"
            status="/payments/${payment.id}/status"
            app="${appUrl}"
            timeout="${Math.ceil((payment.expires - Date.now()) / 1000)}"
          ></tankeeper-challenge>
          ${back}`,
      ),
  })[state]();

/** @param step the phase of the roll-out that the user has begun here; undefined: none */
export const rollout = ({ step, appUrl }) => {
  const code = (status) =>
    html`<tankeeper-challenge
      transaction="${step.transaction}"
      data="${step.code}"
      status="${status}"
      app="${appUrl}"
    ></tankeeper-challenge>`;
  const next = (phase, label) =>
    html`<form method="post" action="/enrol">
      <button name="phase" value="${phase}">${label}</button>
    </form>`;
  if (step === undefined) {
    return page(
      'Set up your app',
      html`<p>
          You confirm payments with an app.
          <a href="${appUrl}" target="_blank" rel="noreferrer">Open the app</a>
        </p>
        ${next(1, 'Begin')}`,
    );
  }
  return step.phase === 'phase1'
    ? page('Step 1 of 2', html`${code('')} ${next(2, 'The app has read the code')}`)
    : page(
        'Step 2 of 2',
        html`<p>Your activation code: <strong id="activation-code">${step.activationCode}</strong></p>
          ${code('/enrol/status')}`,
      );
};

const back = html`<p><a href="/">Back</a></p>`;
