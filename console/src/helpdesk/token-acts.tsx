import { Button } from '@mantine/core';
import { type ComponentType, type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { useTexts } from '../language/language.ts';
import { type Session, useSession } from '../session/session.tsx';
import { enrolAgainAddress, tokenAuditAddress } from './addresses.ts';
import { AssignDialog, DescribeDialog, PinDialog, RealmsDialog, UseDialog } from './token-dialogs.tsx';
import classes from './helpdesk.module.css';
import { FoundQuestion, LostQuestion } from './lost-question.tsx';
import { ResyncDialog } from './resync-dialog.tsx';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { TestPayment } from './test-payment.tsx';
import { mayOnToken, stateOf, type TokenAct } from './token-state.ts';
import { tokenTexts } from './token-texts.ts';
import { useTokenAct } from './use-token-act.ts';

/** The right of each act, and whether the token is fit for it. */
const ACTS: Readonly<
  Record<TokenAct, { readonly right: string; readonly isFit: (token: HelpdeskToken) => boolean }>
> = {
  lost: {
    right: 'disable',
    isFit: ({ rollout, lost_at: lostAt }) => rollout !== 'phase1' && lostAt === null,
  },
  found: {
    right: 'enable',
    isFit: ({ rollout, lost_at: lostAt }) => rollout !== 'phase1' && lostAt !== null,
  },
  resync: {
    right: 'resync',
    isFit: ({ rollout, type }) => rollout !== 'phase1' && type !== 'pw' && type !== 'spass',
  },
  pin: { right: 'set', isFit: () => true },
  removePin: { right: 'set', isFit: ({ has_pin: hasPin }) => hasPin },
  describe: { right: 'set', isFit: () => true },
  use: { right: 'set', isFit: () => true },
  assign: { right: 'assign', isFit: () => true },
  unassign: { right: 'unassign', isFit: ({ owner }) => owner !== null },
  realms: { right: 'tokenrealm', isFit: () => true },
  remove: { right: 'remove', isFit: () => true },
};

/** The acts by what they are for, in their order on the page. */
const GROUPS = {
  help: ['found', 'resync'],
  change: ['pin', 'removePin', 'describe', 'use', 'assign', 'realms'],
  withdraw: ['lost', 'unassign', 'remove'],
} as const satisfies Readonly<Record<string, readonly TokenAct[]>>;
const DANGEROUS: readonly TokenAct[] = GROUPS.withdraw;

/** The acts on a token that need some input or a question. */
export function TokenActs({ token }: { readonly token: HelpdeskToken }): ReactNode {
  const t = useTexts(tokenTexts);
  const session = useSession();
  const { serial } = token;
  const mayEnrol = mayOnToken(session, 'init', token) && token.type.startsWith('ocra');
  const links = [
    mayEnrol && ([t.enrolAgain, enrolAgainAddress(serial)] as const),
    mayOnToken(session, 'audit', token) && ([t.audit, tokenAuditAddress(serial)] as const),
  ].filter((link) => link !== false);
  // A device that takes digits alone cannot show the text.
  const isApp = stateOf(token) === 'ready' && token.algorithm?.includes('-QA') === true;
  const hasHelp = links.length > 0 || isApp || fitActs(GROUPS.help, token, session).length > 0;
  const shown = (['help', 'change', 'withdraw'] as const).filter((name) =>
    name === 'help' ? hasHelp : fitActs(GROUPS[name], token, session).length > 0,
  );
  return (
    <section aria-label={t.acts} className={classes.actGroups}>
      {shown.map((name) => (
        <div key={name} role="group" aria-label={t.groups[name]} className={classes.actGroup}>
          <span aria-hidden className={classes.quiet}>
            {t.groups[name]}
          </span>
          <div className={classes.actions}>
            {name === 'help' &&
              links.map(([label, address]) => (
                <Button key={label} size="xs" variant="default" component="a" href={`#${address}`}>
                  {label}
                </Button>
              ))}
            {name === 'help' && isApp && <TestPayment serial={serial} />}
            <ActButtons acts={GROUPS[name]} token={token} />
          </div>
        </div>
      ))}
    </section>
  );
}

/** @returns those that are fit for the token and allowed to the caller */
function fitActs(acts: readonly TokenAct[], token: HelpdeskToken, session: Session): readonly TokenAct[] {
  return acts.filter((act) => ACTS[act].isFit(token) && mayOnToken(session, ACTS[act].right, token));
}

interface ActButtonsProps {
  readonly acts: readonly TokenAct[];
  readonly token: HelpdeskToken;
  /** True where other tokens are on the page: the buttons then name theirs, read aloud. */
  readonly isOneOfMany?: boolean;
}

/** Buttons for those of the acts that are fit for the token and allowed to the caller. */
export function ActButtons({ acts, token, isOneOfMany = false }: ActButtonsProps): ReactNode {
  const t = useTexts(tokenTexts);
  const session = useSession();
  const [open, setOpen] = useState<TokenAct>();
  const close = (): void => {
    setOpen(undefined);
  };
  const Open = open && DIALOGS[open];
  return (
    <>
      {fitActs(acts, token, session).map((act) => (
        <Button
          key={act}
          size="xs"
          variant={DANGEROUS.includes(act) ? 'light' : 'default'}
          color={DANGEROUS.includes(act) ? 'red' : 'blue'}
          aria-label={isOneOfMany ? `${t.actNames[act]}: ${token.serial}` : undefined}
          onClick={() => {
            setOpen(act);
          }}
        >
          {t.actNames[act]}
        </Button>
      ))}
      {Open !== undefined && (
        <DialogBoundary onClose={close}>
          <Open token={token} onClose={close} />
        </DialogBoundary>
      )}
    </>
  );
}

const DIALOGS: Readonly<Record<TokenAct, ComponentType<QuestionProps>>> = {
  lost: LostQuestion,
  found: FoundQuestion,
  resync: ResyncDialog,
  pin: PinDialog,
  removePin: RemovePinQuestion,
  describe: DescribeDialog,
  use: UseDialog,
  assign: AssignDialog,
  unassign: UnassignQuestion,
  realms: RealmsDialog,
  remove: RemoveQuestion,
};

interface QuestionProps {
  readonly token: HelpdeskToken;
  readonly onClose: () => void;
}

function UnassignQuestion({ token, onClose }: QuestionProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [{ serial, owner, revision }] = useState(token);
  const change = useTokenAct(() => call('/admin/token/unassign', { serials: serial, revision }), onClose, {
    text: t.told.unassign(serial),
  });
  return (
    <ConfirmDialog
      title={t.actNames.unassign}
      action={t.actNames.unassign}
      isRunning={change.isPending}
      error={change.error}
      onConfirm={change.mutate}
      onCancel={onClose}
    >
      <p>{t.unassignHelp(owner?.login ?? '')}</p>
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
      title={t.actNames.removePin}
      action={t.actNames.removePin}
      isRunning={removal.isPending}
      error={removal.error}
      onConfirm={removal.mutate}
      onCancel={onClose}
    >
      <p>{t.removePinHelp(serial)}</p>
    </ConfirmDialog>
  );
}

function RemoveQuestion({ token, onClose }: QuestionProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [{ serial, revision }] = useState(token);
  const [, navigate] = useLocation();
  const removal = useTokenAct(
    () => call('/admin/token/remove', { serials: serial, revision }),
    () => {
      navigate('/search');
    },
    { text: t.told.remove(serial), leads: true },
  );
  return (
    <ConfirmDialog
      isDangerous
      title={t.actNames.remove}
      action={t.actNames.remove}
      isRunning={removal.isPending}
      error={removal.error}
      onConfirm={removal.mutate}
      onCancel={onClose}
    >
      <p>{t.removeHelp(serial)}</p>
    </ConfirmDialog>
  );
}
