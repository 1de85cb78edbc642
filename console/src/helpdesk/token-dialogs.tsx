import { PasswordInput, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { FormDialog } from '../design/form-dialog.tsx';
import { useTexts } from '../language/language.ts';
import { helpdeskTexts } from './helpdesk-texts.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { tokenTexts } from './token-texts.ts';
import { useTokenAct } from './use-token-act.ts';

interface DialogProps {
  readonly token: HelpdeskToken;
  readonly onClose: () => void;
}

/** Sets the token PIN. */
export function PinDialog({ token: { serial }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [pin, setPin] = useState('');
  const change = useTokenAct(() => call('/admin/set', { serial, pin }), onClose);
  return (
    <FormDialog
      title={t.setPin}
      action={t.save}
      isRunning={change.isPending}
      error={change.error}
      onSubmit={change.mutate}
      onClose={onClose}
    >
      <PasswordInput
        label={t.pin}
        description={t.pinHelp}
        autoComplete="off"
        data-autofocus
        value={pin}
        onChange={(event) => {
          setPin(event.currentTarget.value);
        }}
        visibilityToggleButtonProps={{ 'aria-label': t.showPin }}
      />
    </FormDialog>
  );
}

/** Changes the description. */
export function DescribeDialog({ token: { serial, description }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const names = useTexts(helpdeskTexts);
  const [text, setText] = useState(description);
  const change = useTokenAct(() => call('/admin/set', { serial, description: text }), onClose);
  return (
    <FormDialog
      title={t.describe}
      action={t.save}
      isRunning={change.isPending}
      error={change.error}
      onSubmit={change.mutate}
      onClose={onClose}
    >
      <TextInput
        label={names.description}
        data-autofocus
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
    </FormDialog>
  );
}

/** Gives the token to a user. */
export function AssignDialog({ token: { serial, owner }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const names = useTexts(helpdeskTexts);
  const [user, setUser] = useState('');
  const [realm, setRealm] = useState(owner?.realm ?? '');
  const change = useTokenAct(() => call('/admin/assign', { serial, user, realm }), onClose);
  return (
    <FormDialog
      title={t.assign}
      action={t.assign}
      isRunning={change.isPending}
      error={change.error}
      onSubmit={change.mutate}
      onClose={onClose}
    >
      <Text size="sm">{t.assignHelp}</Text>
      <TextInput
        label={t.login}
        required
        withAsterisk={false}
        autoComplete="off"
        data-autofocus
        value={user}
        onChange={(event) => {
          setUser(event.currentTarget.value);
        }}
      />
      <TextInput
        label={names.realm}
        value={realm}
        onChange={(event) => {
          setRealm(event.currentTarget.value);
        }}
      />
    </FormDialog>
  );
}

/** Puts the token into other realms. */
export function RealmsDialog({ token: { serial, realms }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [list, setList] = useState(realms.join(', '));
  const change = useTokenAct(() => call('/admin/tokenrealm', { serial, realms: list }), onClose);
  return (
    <FormDialog
      title={t.moveRealms}
      action={t.save}
      isRunning={change.isPending}
      error={change.error}
      onSubmit={change.mutate}
      onClose={onClose}
    >
      <TextInput
        label={t.moveRealms}
        description={t.realmsHelp}
        data-autofocus
        value={list}
        onChange={(event) => {
          setList(event.currentTarget.value);
        }}
      />
    </FormDialog>
  );
}
