import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { helpdeskTexts, type TransactionState } from './helpdesk-texts.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { stateOf, type TokenState } from './token-state.ts';
import classes from './helpdesk.module.css';

const TOKEN_COLOURS: Readonly<Record<TokenState, string>> = {
  ready: 'green',
  lost: 'red',
  locked: 'red',
  disabled: 'gray',
  phase1: 'yellow',
  phase2: 'yellow',
  early: 'yellow',
  expired: 'gray',
  'used-up': 'gray',
};
const TRANSACTION_COLOURS: Readonly<Record<TransactionState, string>> = {
  open: 'blue',
  expired: 'gray',
  accepted: 'green',
  'given up': 'red',
  superseded: 'gray',
  declined: 'yellow',
  reported: 'red',
  ended: 'gray',
};

/** The state of a token in words. */
export function TokenBadge({ token }: { readonly token: HelpdeskToken }): ReactNode {
  const t = useTexts(helpdeskTexts);
  const format = useFormat();
  const state = stateOf(token);
  return (
    <>
      <Badge variant="light" color={TOKEN_COLOURS[state]} className={classes.badge}>
        {t.states[state]}
      </Badge>
      {token.lost_at !== null && (
        <Text component="span" size="sm" ms="xs">
          {t.lostSince(format.time(token.lost_at), token.lost_by ?? '')}
        </Text>
      )}
    </>
  );
}

/** The state of a transaction in words. */
export function TransactionBadge({ state }: { readonly state: TransactionState }): ReactNode {
  const t = useTexts(helpdeskTexts);
  return (
    <Badge variant="light" color={TRANSACTION_COLOURS[state]} className={classes.badge}>
      {t.transactionStates[state]}
    </Badge>
  );
}
