import { Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { FormDialog } from '../design/form-dialog.tsx';
import type { Told } from '../design/notices.tsx';
import { useTexts } from '../language/language.ts';
import { helpdeskTexts } from './helpdesk-texts.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { NewPinFields, NO_PIN } from './new-pin-fields.tsx';
import { RealmSelect } from './realm-select.tsx';
import { tokenTexts } from './token-texts.ts';
import { useTokenAct } from './use-token-act.ts';

interface DialogProps {
  readonly token: HelpdeskToken;
  readonly onClose: () => void;
}

/** Sets the token PIN. */
export function PinDialog({ token: { serial }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [typed, setTyped] = useState(NO_PIN);
  const { pin, again } = typed;
  return (
    <ActDialog
      title={t.setPin}
      isDisabled={pin === '' || pin !== again}
      act={() => call('/admin/set', { serial, pin })}
      told={{ text: t.told.pin(serial) }}
      onClose={onClose}
    >
      <NewPinFields label={t.pin} isFirst value={typed} onChange={setTyped} />
    </ActDialog>
  );
}

/** Changes the description. */
export function DescribeDialog({ token: { serial, description }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const names = useTexts(helpdeskTexts);
  const [text, setText] = useState(description);
  return (
    <ActDialog
      title={t.describe}
      act={() => call('/admin/set', { serial, description: text })}
      told={{
        text: t.told.describe(serial),
        undo: { act: () => call('/admin/set', { serial, description }), done: t.told.describe(serial) },
      }}
      onClose={onClose}
    >
      <Field label={names.description} isFirst value={text} onChange={setText} />
    </ActDialog>
  );
}

/** Gives the token to a user. */
export function AssignDialog({ token: { serial, owner }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [user, setUser] = useState('');
  const [realm, setRealm] = useState(owner?.realm ?? '');
  return (
    <ActDialog
      title={t.assign}
      action={t.assign}
      act={() => call('/admin/assign', { serial, user, realm })}
      told={{ text: t.told.assign(serial) }}
      onClose={onClose}
    >
      <Text size="sm">{t.assignHelp}</Text>
      <Field label={t.login} isFirst isRequired value={user} onChange={setUser} />
      <RealmSelect right="assign" none={t.defaultRealm} value={realm} onChange={setRealm} />
    </ActDialog>
  );
}

/** Puts the token into other realms. */
export function RealmsDialog({ token: { serial, realms }, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [list, setList] = useState(realms.join(', '));
  return (
    <ActDialog
      title={t.moveRealms}
      act={() => call('/admin/tokenrealm', { serial, realms: list })}
      told={{ text: t.told.realms(serial) }}
      onClose={onClose}
    >
      <Field label={t.moveRealms} description={t.realmsHelp} isFirst value={list} onChange={setList} />
    </ActDialog>
  );
}

interface ActDialogProps {
  readonly title: string;
  /** As a verb; left out: save. */
  readonly action?: string;
  readonly isDisabled?: boolean;
  readonly act: () => Promise<unknown>;
  readonly told: Told;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Fields of a change of the token. */
function ActDialog({
  title,
  action,
  isDisabled = false,
  act,
  told,
  onClose,
  children,
}: ActDialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const change = useTokenAct(act, onClose, told);
  return (
    <FormDialog
      title={title}
      action={action ?? t.save}
      isRunning={change.isPending}
      isDisabled={isDisabled}
      error={change.error}
      onSubmit={change.mutate}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly description?: string;
  readonly isFirst?: boolean;
  readonly isRequired?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ label, description, isFirst, isRequired, value, onChange }: FieldProps): ReactNode {
  return (
    <TextInput
      label={label}
      description={description}
      required={isRequired ?? false}
      withAsterisk={false}
      autoComplete="off"
      data-autofocus={isFirst}
      value={value}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
