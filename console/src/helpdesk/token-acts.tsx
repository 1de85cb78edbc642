import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { enrolAgainAddress, tokenAuditAddress } from './addresses.ts';
import { AssignDialog, DescribeDialog, PinDialog, RealmsDialog, UseDialog } from './token-dialogs.tsx';
import classes from './helpdesk.module.css';
import { ResyncDialog } from './resync-dialog.tsx';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { mayOnToken } from './token-state.ts';
import { tokenTexts } from './token-texts.ts';
import { useTokenAct } from './use-token-act.ts';

type Act = 'resync' | 'pin' | 'removePin' | 'describe' | 'use' | 'assign' | 'unassign' | 'realms' | 'remove';

/** The right of each act, and whether the token is fit for it. */
const ACTS: Readonly<
  Record<Act, { readonly right: string; readonly isFit: (token: HelpdeskToken) => boolean }>
> = {
  resync: { right: 'resync', isFit: ({ rollout }) => rollout !== 'phase1' },
  pin: { right: 'set', isFit: () => true },
  removePin: { right: 'set', isFit: ({ has_pin: hasPin }) => hasPin },
  describe: { right: 'set', isFit: () => true },
  use: { right: 'set', isFit: () => true },
  assign: { right: 'assign', isFit: () => true },
  unassign: { right: 'unassign', isFit: ({ owner }) => owner !== null },
  realms: { right: 'tokenrealm', isFit: () => true },
  remove: { right: 'remove', isFit: () => true },
};

/** The acts on a token that need some input or a question. */
export function TokenActs({ token }: { readonly token: HelpdeskToken }): ReactNode {
  const t = useTexts(tokenTexts);
  const session = useSession();
  const [open, setOpen] = useState<Act>();
  const names: Readonly<Record<Act, string>> = {
    resync: t.resync,
    pin: t.setPin,
    removePin: t.removePin,
    describe: t.describe,
    use: t.use,
    assign: t.assign,
    unassign: t.unassign,
    realms: t.moveRealms,
    remove: t.remove,
  };
  const acts = (Object.keys(ACTS) as Act[]).filter(
    (act) => ACTS[act].isFit(token) && mayOnToken(session, ACTS[act].right, token),
  );
  const mayEnrol = mayOnToken(session, 'init', token) && token.type.startsWith('ocra');
  return (
    <section aria-label={t.acts} className={classes.actions}>
      {mayEnrol && (
        <Button size="xs" variant="default" component="a" href={`#${enrolAgainAddress(token.serial)}`}>
          {t.enrolAgain}
        </Button>
      )}
      {mayOnToken(session, 'audit', token) && (
        <Button size="xs" variant="default" component="a" href={`#${tokenAuditAddress(token.serial)}`}>
          {t.audit}
        </Button>
      )}
      {acts.map((act) => (
        <Button
          key={act}
          size="xs"
          variant={act === 'remove' ? 'light' : 'default'}
          color={act === 'remove' ? 'red' : 'blue'}
          onClick={() => {
            setOpen(act);
          }}
        >
          {names[act]}
        </Button>
      ))}
      {open !== undefined && (
        <OpenAct
          act={open}
          token={token}
          onClose={() => {
            setOpen(undefined);
          }}
        />
      )}
    </section>
  );
}

interface OpenActProps {
  readonly act: Act;
  readonly token: HelpdeskToken;
  readonly onClose: () => void;
}

function OpenAct({ act, token, onClose }: OpenActProps): ReactNode {
  switch (act) {
    case 'resync':
      return <ResyncDialog serial={token.serial} onClose={onClose} />;
    case 'pin':
      return <PinDialog token={token} onClose={onClose} />;
    case 'removePin':
      return <RemovePinQuestion token={token} onClose={onClose} />;
    case 'describe':
      return <DescribeDialog token={token} onClose={onClose} />;
    case 'use':
      return <UseDialog token={token} onClose={onClose} />;
    case 'assign':
      return <AssignDialog token={token} onClose={onClose} />;
    case 'realms':
      return <RealmsDialog token={token} onClose={onClose} />;
    case 'unassign':
      return <UnassignQuestion token={token} onClose={onClose} />;
    case 'remove':
      return <RemoveQuestion token={token} onClose={onClose} />;
  }
}

interface QuestionProps {
  readonly token: HelpdeskToken;
  readonly onClose: () => void;
}

function UnassignQuestion({ token: { serial, owner }, onClose }: QuestionProps): ReactNode {
  const t = useTexts(tokenTexts);
  const change = useTokenAct(() => call('/admin/unassign', { serial }), onClose, {
    text: t.told.unassign(serial),
  });
  return (
    <ConfirmDialog
      title={t.unassign}
      action={t.unassign}
      isRunning={change.isPending}
      error={change.error}
      onConfirm={change.mutate}
      onCancel={onClose}
    >
      <p>{t.unassignHelp(owner?.user ?? '')}</p>
    </ConfirmDialog>
  );
}

function RemovePinQuestion({ token: { serial }, onClose }: QuestionProps): ReactNode {
  const t = useTexts(tokenTexts);
  const removal = useTokenAct(() => call('/admin/set', { serial, removepin: '1' }), onClose, {
    text: t.told.removePin(serial),
  });
  return (
    <ConfirmDialog
      isDangerous
      title={t.removePin}
      action={t.removePin}
      isRunning={removal.isPending}
      error={removal.error}
      onConfirm={removal.mutate}
      onCancel={onClose}
    >
      <p>{t.removePinHelp(serial)}</p>
    </ConfirmDialog>
  );
}

function RemoveQuestion({ token: { serial }, onClose }: QuestionProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [, navigate] = useLocation();
  const removal = useTokenAct(
    () => call('/admin/remove', { serial }),
    () => {
      navigate('/search');
    },
    { text: t.told.remove(serial), leads: true },
  );
  return (
    <ConfirmDialog
      isDangerous
      title={t.remove}
      action={t.remove}
      isRunning={removal.isPending}
      error={removal.error}
      onConfirm={removal.mutate}
      onCancel={onClose}
    >
      <p>{t.removeHelp(serial)}</p>
    </ConfirmDialog>
  );
}
