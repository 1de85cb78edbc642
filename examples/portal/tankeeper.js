/** Connects to tankeeper's interface. The API token stays on the portal's server. */
export function connectTankeeper({ url, token }) {
  async function call(path, fields) {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams(fields),
      signal: AbortSignal.timeout(40_000),
    });
    const { result, detail } = await answer.json();
    if (!result.status) {
      throw new Error(`${path}: ${result.error.message}`);
    }
    return { ...detail, value: result.value, waitEnd: answer.headers.get('tankeeper-wait') };
  }

  return {
    /** @returns the phase of the roll-out: `phase1`, `phase2` or `complete`; undefined without a token */
    async rollout(serial) {
      const { value } = await call('/admin/show', { serial });
      return value.tokens[0]?.rollout;
    },

    /** Phase 1 of the roll-out. The serial is the user's: a second submit renews the token instead of making another. */
    async startRollout(user, serial) {
      const { app_import: code } = await call('/admin/init', {
        ...{ type: 'ocra', genkey: '1', sharedsecret: '1', user, serial },
      });
      return { code };
    },

    /** Phase 2. A bank sends the activation code by letter. */
    async finishRollout(serial) {
      const { value } = await call('/ocra/getActivationCode', {});
      const { app_import: code, transactionid: transaction } = await call('/admin/init', {
        ...{ type: 'ocra', genkey: '1', serial, activationcode: value.activationcode, message: 'Welcome' },
      });
      return { code, transaction, activationCode: value.activationcode };
    },

    /** @returns a challenge with `text` as its display data */
    async request(user, text) {
      const { data: code, transactionid: transaction } = await call('/ocra/request', { user, data: text });
      return { code, transaction };
    },

    /**
     * @param wait such as `20S`: answers as soon as the state changes, and not later than that; `0`: at once
     * @returns whether a response was accepted; whether none will be any more; `declined`, or `reported` where the user
     *   says “this was not me” in the app; and the token's wrong responses since the last right one: those to its other
     *   challenges count, too
     */
    async status(transaction, wait = '0') {
      const { value, waitEnd } = await call('/ocra/checkstatus', { transactionid: transaction, wait });
      const [{ valid_tan: accepted, declined, failcount } = { valid_tan: false, failcount: 0 }] = value;
      return { accepted, closed: waitEnd === 'closed', declined, failcount };
    },

    /** Sends typed digits. Its result shows in `status`. */
    async check(transaction, response) {
      await call('/ocra/check_t', { transactionid: transaction, pass: response });
    },
  };
}
