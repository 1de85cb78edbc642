import { Button, PasswordInput, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { useSessionControl } from '../session/session.tsx';
import { signInTexts } from './sign-in-texts.ts';
import classes from './sign-in-page.module.css';

/** Signs an administrator in by name and password. */
export function SignInPage(): ReactNode {
  const t = useTexts(signInTexts);
  const { refresh } = useSessionControl();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => call('/admin/sign-in', { username: name, password }),
    onSuccess: refresh,
    onSettled: () => {
      setPassword('');
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <main className={classes.page}>
      <form className={classes.form} onSubmit={submit}>
        <Title order={1} size="h2">
          {t.title}
        </Title>
        <Failure error={signIn.error} />
        <TextInput
          label={t.name}
          autoComplete="username"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <PasswordInput
          label={t.password}
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
          }}
          visibilityToggleButtonProps={{ 'aria-label': t.showPassword }}
        />
        <Button type="submit" loading={signIn.isPending}>
          {t.signIn}
        </Button>
      </form>
    </main>
  );
}
