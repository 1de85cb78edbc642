import { Button, Group, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../api/call.ts';
import card from '../design/card.module.css';
import { designTexts } from '../design/design-texts.ts';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { userTexts } from './user-texts.ts';

interface FormDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly others?: ReactNode;
  readonly error: Error | null;
  readonly isRunning: boolean;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
}

function FormDialog(props: FormDialogProps): ReactNode {
  const { title, children, others, error, isRunning, onSubmit, onCancel } = props;
  const t = useTexts(userTexts);
  const common = useTexts(designTexts);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal
      opened
      onClose={onCancel}
      title={title}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <form className={card.form} onSubmit={submit}>
        {children}
        <Failure error={error} />
        <Group justify="flex-end">
          {others}
          <Button variant="default" onClick={onCancel}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={isRunning}>
            {t.save}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

interface NewUserDialogProps {
  readonly resolver: string;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

const FIELDS = ['username', 'givenname', 'surname', 'email', 'phone'] as const;
type Field = (typeof FIELDS)[number];

/** Adds a user to a managed resolver. */
export function NewUserDialog({ resolver, onDone, onCancel }: NewUserDialogProps): ReactNode {
  const t = useTexts(userTexts);
  const [values, setValues] = useState<Partial<Record<Field, string>>>({});
  const [password, setPassword] = useState('');
  const adding = useMutation({
    mutationFn: () =>
      call('/system/users/add', { ...values, username: values.username ?? '', resolver, password }),
    onSuccess: onDone,
    gcTime: 0,
  });
  const labels: Readonly<Record<Field, string>> = {
    username: t.login,
    givenname: t.givenName,
    surname: t.surname,
    email: t.email,
    phone: t.phone,
  };
  return (
    <FormDialog
      title={t.addTitle}
      error={adding.error}
      isRunning={adding.isPending}
      onSubmit={() => {
        adding.mutate();
      }}
      onCancel={onCancel}
    >
      {FIELDS.map((field) => (
        <TextInput
          key={field}
          label={labels[field]}
          required={field === 'username'}
          withAsterisk={false}
          autoComplete="off"
          value={values[field] ?? ''}
          onChange={({ currentTarget }) => {
            setValues({ ...values, [field]: currentTarget.value });
          }}
        />
      ))}
      <PasswordInput
        label={t.password}
        description={t.noPasswordHint}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t.showPassword }}
        value={password}
        onChange={(event) => {
          setPassword(event.currentTarget.value);
        }}
      />
    </FormDialog>
  );
}

interface PasswordDialogProps {
  readonly resolver: string;
  readonly username: string;
  /** Called where the password is to be removed in place of a new one. */
  readonly onRemove: () => void;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** Sets the password of a user of a managed resolver. */
export function PasswordDialog(props: PasswordDialogProps): ReactNode {
  const { resolver, username, onRemove, onDone, onCancel } = props;
  const t = useTexts(userTexts);
  const [password, setPassword] = useState('');
  const setting = useMutation({
    mutationFn: () => call('/system/users/password', { resolver, username, password }),
    onSuccess: onDone,
    gcTime: 0,
  });
  return (
    <FormDialog
      title={t.passwordTitle(username)}
      error={setting.error}
      isRunning={setting.isPending}
      others={
        <Button variant="default" onClick={onRemove}>
          {t.removePassword}
        </Button>
      }
      onSubmit={() => {
        setting.mutate();
      }}
      onCancel={onCancel}
    >
      <PasswordInput
        label={t.newPassword}
        description={t.passwordHint}
        required
        withAsterisk={false}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t.showPassword }}
        value={password}
        onChange={(event) => {
          setPassword(event.currentTarget.value);
        }}
      />
    </FormDialog>
  );
}
