import { Alert, Button, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { InstallationName, usePageTitle } from '../design/installation.tsx';
import { useTexts } from '../language/language.ts';
import { signInTexts } from './sign-in-texts.ts';
import classes from './sign-in-page.module.css';
import { createPasskey, hasPasskeys, type PasskeyOptions } from './web-authn.ts';

interface PasskeyLinkPageProps {
  /** Of the link. */
  readonly secret: string;
  readonly onClose: () => void;
}

/** Registers a passkey by the link of an operator. The link is used up by the first attempt that reaches the server. */
export function PasskeyLinkPage({ secret, onClose }: PasskeyLinkPageProps): ReactNode {
  const t = useTexts(signInTexts);
  const [name, setName] = useState('');
  const [options, setOptions] = useState<PasskeyOptions>();
  usePageTitle(t.linkTitle);
  const register = useMutation({
    mutationFn: async () => {
      // A registration that the person has cancelled goes on: the link is used up by then.
      const begun = options ?? (await call('/admin/sign-in/passkey-link', { link: secret })).options;
      setOptions(begun);
      const credential = await createPasskey(begun);
      await call('/admin/sign-in/passkey', { credential, name });
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    register.mutate();
  };
  const { error } = register;
  return (
    <main className={classes.page}>
      <form className={classes.form} onSubmit={submit}>
        <InstallationName />
        <Title order={1} size="h2">
          {t.linkTitle}
        </Title>
        {register.isSuccess ? (
          <>
            <Alert color="green" role="status">
              {t.linkDone}
            </Alert>
            <Button onClick={onClose}>{t.toSignIn}</Button>
          </>
        ) : (
          <>
            <Text>{hasPasskeys() ? t.linkLead : t.unsupported}</Text>
            <Failure error={error instanceof DOMException ? new Error(t.notMade) : error} />
            <TextInput
              label={t.passkeyName}
              description={t.passkeyNameHint}
              required
              withAsterisk={false}
              maxLength={64}
              value={name}
              onChange={(event) => {
                setName(event.currentTarget.value);
              }}
            />
            <Button type="submit" loading={register.isPending} disabled={!hasPasskeys()}>
              {t.makePasskey}
            </Button>
          </>
        )}
      </form>
    </main>
  );
}
