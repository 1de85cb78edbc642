import { Alert, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { FormDialog } from '../design/form-dialog.tsx';
import type { Told } from '../design/notices.tsx';
import { type Format, useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { type HelpdeskToken, revisionAfter } from './helpdesk-values.ts';
import { NewPinFields, NO_PIN } from './new-pin-fields.tsx';
import { RealmSelect } from './realm-select.tsx';
import { boundOf, stateOf, type TokenUse } from './token-state.ts';
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
      title={t.actNames.pin}
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
export function DescribeDialog({ token, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [seen] = useState(token);
  const { serial, description } = seen;
  const describe = (text: string, revision: string): Promise<unknown> =>
    call('/admin/token/set', { serial, description: text, revision });
  const names = useTexts(helpdeskTexts);
  const [text, setText] = useState(description);
  return (
    <ActDialog
      title={t.actNames.describe}
      act={() => describe(text, seen.revision)}
      told={{
        text: t.told.describe(serial),
        undo: { act: () => describe(description, revisionAfter(seen)), done: t.told.describe(serial) },
      }}
      onClose={onClose}
    >
      <Field label={names.description} isFirst value={text} onChange={setText} />
    </ActDialog>
  );
}

const USE_FIELDS = [
  'valid_from',
  'valid_until',
  'max_uses',
  'use_count',
  'max_successes',
  'success_count',
] as const;
type UseField = (typeof USE_FIELDS)[number];
type TypedUse = Readonly<Record<UseField, string>>;

/** Changes the period, and the counts of uses. What was not typed is not sent: responses may have been counted meanwhile. */
export function UseDialog({ token, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [{ serial, revision }] = useState(token);
  const format = useFormat();
  const [known] = useState(() => typedUse(token.use, format));
  const [typed, setTyped] = useState(known);
  const changed = USE_FIELDS.filter((name) => typed[name] !== known[name]);
  const bound = stateOf(token) === 'ready' ? boundOf(readUse(typed, format), new Date()) : undefined;
  const field = (name: UseField, label: string, isFirst = false): ReactNode => (
    <Field
      label={label}
      isFirst={isFirst}
      type={name.startsWith('valid') ? 'datetime-local' : 'number'}
      value={typed[name]}
      onChange={(value) => {
        setTyped({ ...typed, [name]: value });
      }}
    />
  );
  return (
    <ActDialog
      title={t.actNames.use}
      isDisabled={changed.length === 0}
      act={() =>
        call('/admin/token/set', {
          serial,
          revision,
          ...Object.fromEntries(changed.map((name) => [name, parameterOf(name, typed[name], format)])),
        })
      }
      told={{ text: t.told.use(serial) }}
      onClose={onClose}
    >
      <Text size="sm">{t.useHelp}</Text>
      {field('valid_from', format.typedIn(t.validFrom, typed.valid_from), true)}
      {field('valid_until', format.typedIn(t.validUntil, typed.valid_until))}
      {field('max_uses', t.maxUses)}
      {field('use_count', t.useCount)}
      {field('max_successes', t.maxSuccesses)}
      {field('success_count', t.successCount)}
      {bound !== undefined && (
        <Alert color="red" role="alert">
          {t.stops(serial)[bound]}
        </Alert>
      )}
    </ActDialog>
  );
}

function typedUse(token: TokenUse, { toTyped }: Format): TypedUse {
  return {
    valid_from: toTyped(token.valid_from),
    valid_until: toTyped(token.valid_until),
    max_uses: token.max_uses?.toString() ?? '',
    use_count: token.use_count.toString(),
    max_successes: token.max_successes?.toString() ?? '',
    success_count: token.success_count.toString(),
  };
}

function parameterOf(name: UseField, typed: string, { ofTyped }: Format): string {
  return name.startsWith('valid') ? ofTyped(typed) : typed;
}

function readUse(typed: TypedUse, format: Format): TokenUse {
  const time = (name: UseField): string | null => parameterOf(name, typed[name], format) || null;
  return {
    valid_from: time('valid_from'),
    valid_until: time('valid_until'),
    use_count: Number(typed.use_count),
    max_uses: Number(typed.max_uses) || null,
    success_count: Number(typed.success_count),
    max_successes: Number(typed.max_successes) || null,
  };
}

/** Gives the token to a user. */
export function AssignDialog({ token, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [{ serial, owner_realm: known, revision }] = useState(token);
  const [user, setUser] = useState('');
  const [realm, setRealm] = useState(known ?? '');
  return (
    <ActDialog
      title={t.actNames.assign}
      action={t.actNames.assign}
      act={() => call('/admin/token/assign', { serial, user, realm, revision })}
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
export function RealmsDialog({ token, onClose }: DialogProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [{ serial, realms, revision }] = useState(token);
  const [list, setList] = useState(realms.join(', '));
  return (
    <ActDialog
      title={t.actNames.realms}
      act={() => call('/admin/token/realms', { serial, realms: list, revision })}
      told={{ text: t.told.realms(serial) }}
      onClose={onClose}
    >
      <Field label={t.actNames.realms} description={t.realmsHelp} isFirst value={list} onChange={setList} />
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
  readonly type?: 'text' | 'number' | 'datetime-local';
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({
  label,
  description,
  isFirst,
  isRequired,
  type = 'text',
  value,
  onChange,
}: FieldProps): ReactNode {
  return (
    <TextInput
      label={label}
      type={type}
      step={type === 'text' ? undefined : 1}
      min={type === 'number' ? 0 : undefined}
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
