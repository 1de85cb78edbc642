import { paymentText } from './pages.js';

/** The lifetime of a challenge (OcraChallengeTimeout). */
const LIFETIME_MS = 20 * 60_000;

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
      this.#payments.set(id, {
        id,
        user,
        amount,
        payee,
        challenge,
        expires,
        isPaid: false,
        declined: undefined,
      });
      challenge.catch(() => this.#payments.delete(id));
    }
    await this.#payments.get(id).challenge;
  }

  /**
   * Carries a payment out, once, if tankeeper has accepted a response: what a browser says counts for nothing.
   * @param wait such as `20S`: waits for a change
   * @returns `paid`, `declined`, `reported`, `stopped`, `expired` or `open`, with the token's fail counter
   */
  async settle(payment, wait) {
    if (payment.isPaid) {
      return { state: 'paid', failcount: 0 };
    }
    const { transaction } = await payment.challenge;
    const { accepted, closed, declined, failcount } = await this.#tankeeper.status(transaction, wait);
    // No await from here on: no other request comes in between. In a database: UPDATE … WHERE NOT is_paid.
    if (accepted && !payment.isPaid) {
      payment.isPaid = true;
      console.log(`portal: paid ${payment.id}`);
    }
    if (payment.isPaid) {
      return { state: 'paid', failcount: 0 };
    }
    noteDecline(payment, declined);
    const end = Date.now() > payment.expires ? 'expired' : closed ? 'stopped' : 'open';
    return { state: payment.declined ?? end, failcount };
  }
}

/** Keeps it: tankeeper removes transactions after a time. */
function noteDecline(payment, declined) {
  if (declined === 'reported' && payment.declined === undefined) {
    // A bank looks into it: somebody else may have the password.
    console.log(`portal: reported ${payment.id}`);
  }
  payment.declined ??= declined;
}
