import { paymentText } from './pages.js';

/** The lifetime of a challenge (OcraChallengeTimeout), and the wrong responses that close it (OcraMaxChallengeRequests). */
const LIFETIME_MS = 20 * 60_000;
const WRONG_RESPONSES = 3;

/** The payments. A real portal keeps them in its database, each with its transaction. */
export class Payments {
  #payments = new Map();
  #tankeeper;

  constructor(tankeeper) {
    this.#tankeeper = tankeeper;
  }

  /** @returns the user's payment of that id; undefined: there is none */
  find(user, id) {
    const payment = this.#payments.get(id);
    return payment?.user === user ? payment : undefined;
  }

  ofUser(user) {
    return [...this.#payments.values()].filter((payment) => payment.user === user);
  }

  /** Requests the challenge of a payment, once: a form that is submitted twice names the same id. */
  async start(user, { id, amount, payee }) {
    if (!this.#payments.has(id)) {
      const text = paymentText({ amount, payee });
      const challenge = this.#tankeeper.request(user, text);
      const expires = Date.now() + LIFETIME_MS;
      this.#payments.set(id, { id, user, amount, payee, challenge, expires, isPaid: false });
      challenge.catch(() => this.#payments.delete(id));
    }
    await this.#payments.get(id).challenge;
  }

  /**
   * Carries a payment out, once, if tankeeper has accepted a response: what a browser says counts for nothing.
   * @param wait such as `20S`: waits for a change
   * @returns `paid`, `declined`, `expired` or `open`, with the token's fail counter
   */
  async settle(payment, wait) {
    if (payment.isPaid) {
      return { state: 'paid', failcount: 0 };
    }
    const challenge = await payment.challenge;
    const { accepted, failcount } = await this.#tankeeper.status(challenge.transaction, wait);
    // No await from here on: no other request comes in between. In a database: UPDATE … WHERE NOT is_paid.
    if (accepted && !payment.isPaid) {
      payment.isPaid = true;
      console.log(`portal: paid ${payment.id}`);
    }
    if (payment.isPaid) {
      return { state: 'paid', failcount: 0 };
    }
    const isDeclined = failcount >= challenge.failcount + WRONG_RESPONSES;
    return { state: isDeclined ? 'declined' : Date.now() > payment.expires ? 'expired' : 'open', failcount };
  }
}
