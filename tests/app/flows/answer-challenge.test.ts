import { describe, expect, it } from '@jest/globals';
import {
  declineChallenge,
  type DeclineOutcome,
  type SentOutcome,
} from '../../../app/src/flows/answer-challenge.ts';
import type { ShownChallenge } from '../../../app/src/flows/open-code.ts';
import {
  type HistoryEntry,
  type HistoryOutcome,
  type Vault,
  VaultError,
} from '../../../app/src/vault/vault.ts';
import { token } from '../../campaigns/app/vault/vault-site.ts';

const TOKEN = { ...token({ counter: '0' }), key: '9f8e7d6c5b4a39281706f5e4d3c2b1a0ffeeddcc' };

interface Trial {
  readonly kind?: 'nonce' | 'req';
  readonly decline?: 'declined' | 'reported';
  readonly destination?: ShownChallenge['destination'];
  readonly outcome?: SentOutcome;
  readonly stored?: Parameters<typeof token>[0];
  readonly history?: readonly Pick<HistoryEntry, 'serial' | 'outcome'>[];
  readonly isFull?: boolean;
}

/** Declines a challenge. */
async function declined({
  kind = 'nonce',
  decline = 'declined',
  destination = { kind: 'sent', host: 'bank.example' },
  outcome = 'accepted',
  stored = {},
  history = [],
  isFull = false,
}: Trial): Promise<{
  outcome: DeclineOutcome;
  sent: number;
  removed: readonly string[];
  told: readonly HistoryOutcome[];
}> {
  const removed: string[] = [];
  const told: HistoryOutcome[] = [];
  let sent = 0;
  const vault = {
    addHistory: (entry: HistoryEntry) =>
      isFull
        ? Promise.reject(new VaultError('storage-full'))
        : Promise.resolve(void told.push(entry.outcome)),
    updateHistory: (_id: string, changed: HistoryOutcome) =>
      isFull ? Promise.reject(new VaultError('storage-full')) : Promise.resolve(void told.push(changed)),
    listTokens: () => Promise.resolve([{ token: { ...TOKEN, ...stored }, name: '', addedAt: 1 }]),
    listHistory: () => Promise.resolve(history),
    removeToken: (serial: string) => Promise.resolve(void removed.push(serial)),
  } as unknown as Vault;
  const challenge = {
    kind,
    token: TOKEN,
    message: 'Welcome',
    question: '0'.repeat(64),
    transactionId: '0123456789abcdef0123',
    callbackUrl: 'https://bank.example/ocra/check_t',
    needsPin: false,
  };
  const shown = {
    kind: 'challenge',
    challenge,
    tokenName: '',
    restored: undefined,
    destination,
    earlier: undefined,
  } as const;
  const made = { kind: decline, at: new Date(), id: 'one' };
  const answered = await declineChallenge(vault, shown, made, () => {
    sent += 1;
    return Promise.resolve(outcome);
  });
  return { outcome: answered, sent, removed, told };
}

describe('a declined challenge', () => {
  it('is told to the server also where the history cannot be stored', async () => {
    expect(await declined({ isFull: true, kind: 'req' })).toEqual({
      outcome: 'accepted',
      sent: 1,
      removed: [],
      told: [],
    });
  });

  it.each([
    ['accepted', 'declined', ['declined-unknown', 'declined']],
    ['accepted', 'reported', ['reported-unknown', 'reported']],
    ['refused', 'declined', ['declined-unknown', 'declined-refused']],
    ['refused', 'reported', ['reported-unknown', 'reported-refused']],
    ['no-answer', 'declined', ['declined-unknown']],
    ['offline', 'reported', ['reported-unknown']],
  ] as const)('stands in the history as the server has taken it: %s, %s', async (outcome, decline, told) => {
    expect(await declined({ kind: 'req', outcome, decline })).toMatchObject({ told });
  });

  it.each(['no-address', 'insecure-address'] as const)('is not sent without an address: %s', async (why) => {
    expect(await declined({ destination: { kind: 'typed', why } })).toEqual({
      outcome: why,
      sent: 0,
      removed: [],
      told: ['declined-unknown'],
    });
  });

  it('of a roll-out takes the token along once the server knows', async () => {
    const history = [{ serial: TOKEN.serial, outcome: 'declined' as const }];
    expect(await declined({ history })).toMatchObject({ removed: [TOKEN.serial] });
    for (const outcome of ['refused', 'no-answer', 'no-verdict', 'offline'] as const) {
      expect(await declined({ outcome })).toMatchObject({ outcome, sent: 1, removed: [] });
    }
  });

  it.each([
    ['of another challenge', { kind: 'req' }],
    ['that was used', { stored: { counter: '1' } }],
    ['that has another key by now', { stored: { key: 'aa'.repeat(20) } }],
    ['whose digits were shown', { history: [{ serial: TOKEN.serial, outcome: 'shown' }] }],
  ] as const)('leaves a token %s', async (_what, trial) => {
    expect(await declined(trial)).toMatchObject({ outcome: 'accepted', removed: [] });
  });
});
