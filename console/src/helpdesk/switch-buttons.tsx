import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { type Texts, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import classes from './helpdesk.module.css';
import { type HelpdeskToken, revisionAfter } from './helpdesk-values.ts';
import { mayOnToken } from './token-state.ts';
import { tokenTexts } from './token-texts.ts';
import { useTokenAct } from './use-token-act.ts';

const SWITCHES = ['reset', 'disable', 'enable'] as const;
type Switch = (typeof SWITCHES)[number];

const texts: Texts<Record<Switch | 'unlock', string>> = {
  en: { unlock: 'Unlock', reset: 'Reset the fail counter', disable: 'Disable', enable: 'Enable' },
  de: {
    unlock: 'Entsperren',
    reset: 'Fehlerzähler zurücksetzen',
    disable: 'Deaktivieren',
    enable: 'Aktivieren',
  },
};

interface SwitchButtonsProps {
  /** Left out: all. */
  readonly acts?: readonly Switch[];
  readonly token: HelpdeskToken;
}

/** The acts that one click does and another takes back: unlock, disable, enable. */
export function SwitchButtons({ acts: offered = SWITCHES, token }: SwitchButtonsProps): ReactNode {
  const session = useSession();
  const acts = offered.filter((act) => isUseful(act, token) && mayOnToken(session, act, token));
  return (
    <div className={classes.actions}>
      {acts.map((act) => (
        <SwitchButton key={act} act={act} token={token} />
      ))}
    </div>
  );
}

function isUseful(
  act: Switch,
  { active, fail_count: failed, rollout, lost_at: lostAt }: HelpdeskToken,
): boolean {
  switch (act) {
    case 'reset':
      return failed > 0;
    case 'disable':
      return active;
    case 'enable':
      return !active && rollout !== 'phase1' && lostAt === null;
  }
}

interface SwitchProps {
  readonly act: Switch;
  readonly token: HelpdeskToken;
}

/** The acts that are taken back by one click. */
const INVERSES = { disable: 'enable', enable: 'disable' } as const;

function SwitchButton({ act, token }: SwitchProps): ReactNode {
  const t = useTexts(texts);
  const { told } = useTexts(tokenTexts);
  const session = useSession();
  const { serial, is_locked: locked } = token;
  const isUnlock = act === 'reset' && locked;
  const name = t[isUnlock ? 'unlock' : act];
  const inverse = act === 'reset' ? undefined : INVERSES[act];
  const seen = { serials: serial, revision: token.revision };
  const change = useTokenAct(() => call(`/admin/token/${act}`, seen), undefined, {
    text: told[isUnlock ? 'unlock' : act](serial),
    undo:
      inverse !== undefined && mayOnToken(session, inverse, token)
        ? {
            act: () => call(`/admin/token/${inverse}`, { serials: serial, revision: revisionAfter(token) }),
            done: told[inverse](serial),
          }
        : undefined,
  });
  return (
    <>
      <Button
        size="xs"
        variant={act === 'enable' || isUnlock ? 'filled' : 'default'}
        loading={change.isPending}
        aria-label={`${name}: ${serial}`}
        onClick={() => {
          change.mutate();
        }}
      >
        {name}
      </Button>
      <Failure error={change.error} />
    </>
  );
}
