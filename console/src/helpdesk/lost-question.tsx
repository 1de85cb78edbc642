import { List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { useTexts } from '../language/language.ts';
import { type Session, useSession } from '../session/session.tsx';
import { newTokenAddress, type PersonName } from './addresses.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { TokenBadge } from './token-badge.tsx';
import { tokenTexts } from './token-texts.ts';
import { useTokenAct } from './use-token-act.ts';

interface LostQuestionProps {
  readonly token: HelpdeskToken;
  readonly onClose: () => void;
}

/** Tells what the loss of a phone leads to, and then the way to a new one. */
export function LostQuestion({ token, onClose }: LostQuestionProps): ReactNode {
  const t = useTexts(tokenTexts);
  const session = useSession();
  const { serial } = token;
  const open = useOpenChallenges(serial);
  const person = personToEnrol(session, token);
  const change = useTokenAct(() => call('/admin/token/lose', { serials: serial }), onClose, {
    text: t.told.lost(serial),
    next: person && { address: newTokenAddress(person), text: t.newPhone(person.user) },
  });
  return (
    <ConfirmDialog
      isDangerous
      title={`${t.actNames.lost}: ${serial}`}
      action={t.reportLost}
      isRunning={change.isPending}
      error={change.error}
      onConfirm={change.mutate}
      onCancel={onClose}
    >
      <List size="sm">
        <List.Item>{t.lostHelp(serial)}</List.Item>
        <List.Item>{t.lostOpen(open)}</List.Item>
        {token.is_second_factor && <List.Item>{t.lostFactor}</List.Item>}
        <List.Item>{t.lostAudit}</List.Item>
        <List.Item>{person === undefined ? t.lostNextByOthers : t.lostNext}</List.Item>
      </List>
    </ConfirmDialog>
  );
}

/** Asks whether a phone that was reported lost is back. */
export function FoundQuestion({ token, onClose }: LostQuestionProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [{ serial, revision }] = useState(token);
  const change = useTokenAct(
    () => call('/admin/token/enable', { serials: serial, found_again: '1', revision }),
    onClose,
    { text: t.told.found(serial) },
  );
  return (
    <ConfirmDialog
      isDangerous
      title={`${t.actNames.found}: ${serial}`}
      action={t.actNames.found}
      isRunning={change.isPending}
      error={change.error}
      onConfirm={change.mutate}
      onCancel={onClose}
    >
      <TokenBadge token={token} />
      <p>{t.foundHelp(serial)}</p>
      <p>{t.foundAudit}</p>
    </ConfirmDialog>
  );
}

/** @returns the number of open challenges of the token; undefined: not known */
function useOpenChallenges(serial: string): number | undefined {
  const { data } = useQuery({
    queryKey: ['helpdesk', 'token', serial],
    queryFn: ({ signal }) => call('/admin/token/show', { serial }, { signal }),
  });
  return data?.transactions?.filter(({ state }) => state === 'open').length;
}

/** @returns the owner, where the caller may give them a new token */
function personToEnrol(
  session: Session,
  { owner, owner_realm: realm }: HelpdeskToken,
): PersonName | undefined {
  return owner !== null && realm !== null && session.may('admin', 'init', realm)
    ? { user: owner.login, resolver: owner.resolver, realm }
    : undefined;
}
