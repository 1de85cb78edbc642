import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { type Texts, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import classes from './helpdesk.module.css';
import { type HelpdeskToken, mayOnToken } from './token-state.ts';
import { useTokenAct } from './use-token-act.ts';

const ACTS = ['reset', 'disable', 'enable'] as const;
type Act = (typeof ACTS)[number];

const texts: Texts<Record<Act, string>> = {
  en: { reset: 'Unlock', disable: 'Disable', enable: 'Enable' },
  de: { reset: 'Entsperren', disable: 'Deaktivieren', enable: 'Aktivieren' },
};

/** The acts that one click does and another takes back: unlock, disable, enable. */
export function SwitchButtons({ token }: { readonly token: HelpdeskToken }): ReactNode {
  const session = useSession();
  const acts = ACTS.filter((act) => isUseful(act, token) && mayOnToken(session, act, token));
  return (
    <div className={classes.actions}>
      {acts.map((act) => (
        <SwitchButton key={act} act={act} serial={token.serial} />
      ))}
    </div>
  );
}

function isUseful(act: Act, { active, fail_count: failed, rollout }: HelpdeskToken): boolean {
  switch (act) {
    case 'reset':
      return failed > 0;
    case 'disable':
      return active;
    case 'enable':
      return !active && rollout !== 'phase1';
  }
}

function SwitchButton({ act, serial }: { readonly act: Act; readonly serial: string }): ReactNode {
  const t = useTexts(texts);
  const change = useTokenAct(() => call(`/admin/${act}`, { serial }));
  return (
    <>
      <Button
        size="xs"
        variant={act === 'disable' ? 'default' : 'filled'}
        loading={change.isPending}
        aria-label={`${t[act]}: ${serial}`}
        onClick={() => {
          change.mutate();
        }}
      >
        {t[act]}
      </Button>
      <Failure error={change.error} />
    </>
  );
}
