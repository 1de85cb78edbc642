import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { FormDialog } from '../design/form-dialog.tsx';
import { SecretField } from '../design/secret-field.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';
import { useTexts } from '../language/language.ts';
import { userTexts } from './user-texts.ts';

interface NewUserDialogProps {
  readonly resolver: string;
  readonly onClose: () => void;
}

const FIELDS = ['login', 'given_name', 'surname', 'email', 'phone'] as const;
type Field = (typeof FIELDS)[number];

/** Adds a user to a managed resolver. */
export function NewUserDialog({ resolver, onClose }: NewUserDialogProps): ReactNode {
  const t = useTexts(userTexts);
  const [values, setValues] = useState<Partial<Record<Field, string>>>({});
  const [password, setPassword] = useState('');
  const adding = useDialogAct({
    title: t.addTitle,
    act: () =>
      call('/admin/user/add', {
        ...values,
        login: values.login ?? '',
        resolver,
        ...(password !== '' && { password }),
      }),
    changes: ['users', resolver],
    onDone: onClose,
  });
  const labels: Readonly<Record<Field, string>> = {
    login: t.login,
    given_name: t.givenName,
    surname: t.surname,
    email: t.email,
    phone: t.phone,
  };
  return (
    <FormDialog
      title={t.addTitle}
      action={t.save}
      error={adding.error}
      isRunning={adding.isPending}
      onSubmit={adding.run}
      onClose={onClose}
    >
      {FIELDS.map((field) => (
        <TextInput
          key={field}
          label={labels[field]}
          required={field === 'login'}
          withAsterisk={false}
          autoComplete="off"
          value={values[field] ?? ''}
          onChange={({ currentTarget }) => {
            setValues({ ...values, [field]: currentTarget.value });
          }}
        />
      ))}
      <SecretField
        label={t.password}
        description={t.noPasswordHint}
        autoComplete="new-password"
        isOptional
        value={password}
        onChange={setPassword}
      />
    </FormDialog>
  );
}

interface PasswordDialogProps {
  readonly resolver: string;
  readonly username: string;
  /** Called where the password is to be removed in place of a new one. */
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** Sets the password of a user of a managed resolver. */
export function PasswordDialog(props: PasswordDialogProps): ReactNode {
  const { resolver, username, onRemove, onClose } = props;
  const t = useTexts(userTexts);
  const [password, setPassword] = useState('');
  const setting = useDialogAct({
    title: t.passwordTitle(username),
    act: () => call('/admin/user/password', { login: username, resolver, password }),
    changes: ['users', resolver],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={t.passwordTitle(username)}
      action={t.save}
      error={setting.error}
      isRunning={setting.isPending}
      others={
        <Button variant="default" onClick={onRemove}>
          {t.removePassword}
        </Button>
      }
      onSubmit={setting.run}
      onClose={onClose}
    >
      <SecretField
        label={t.newPassword}
        description={t.passwordHint}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
    </FormDialog>
  );
}
