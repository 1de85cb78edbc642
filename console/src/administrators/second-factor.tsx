import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useSignInMethods } from '../design/installation.tsx';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { accountTexts } from '../account/account-texts.ts';
import { Section } from '../account/section.tsx';
import classes from '../account/section.module.css';
import { call } from '../api/call.ts';
import { AskingButton, ConfirmedDialog } from '../confirmation/confirmed-dialog.tsx';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { Failure } from '../design/failure.tsx';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { administratorTexts } from './administrator-texts.ts';
import { ShownOnce } from './shown-once.tsx';
import type { ListedAdministrator } from './use-administrators.ts';

/** Sets and removes the second factor of an administrator. */
export function SecondFactor({ administrator }: { readonly administrator: ListedAdministrator }): ReactNode {
  const t = useTexts(administratorTexts);
  const account = useTexts(accountTexts);
  const { name, second_factor: factor } = administrator;
  const methods = useSignInMethods();
  return (
    <Section title={t.factorTitle} lead={t.factorLead}>
      <TokenForm name={name} />
      <Group align="flex-start">
        {methods.data?.has_passkeys === true && <PasskeyLink name={name} />}
        {methods.data?.no_passkeys_reason === 'address' && <Text>{account.passkeysOff.address}</Text>}
        {factor !== null && <Removal name={name} />}
      </Group>
    </Section>
  );
}

function TokenForm({ name }: { readonly name: string }): ReactNode {
  const t = useTexts(administratorTexts);
  const reread = useReread();
  const { run, dialog } = useConfirmation();
  const [serial, setSerial] = useState('');
  const set = useMutation({
    mutationFn: () =>
      run(() => call('/admin/second-factor/set', { administrator: name, serial: serial.trim() })),
    onSuccess: async () => {
      setSerial('');
      await reread();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    set.mutate();
  };
  return (
    <>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label={t.serial}
          description={t.serialHint}
          autoComplete="off"
          required
          withAsterisk={false}
          value={serial}
          onChange={(event) => {
            setSerial(event.currentTarget.value);
          }}
        />
        <Failure error={set.error} />
        {set.isSuccess && (
          <Alert color="green" role="status">
            {t.tokenSet}
          </Alert>
        )}
        <Button type="submit" variant="default" loading={set.isPending}>
          {t.setToken}
        </Button>
      </form>
      {dialog}
    </>
  );
}

function PasskeyLink({ name }: { readonly name: string }): ReactNode {
  const t = useTexts(administratorTexts);
  const format = useFormat();
  const { run, dialog } = useConfirmation();
  const make = useMutation({
    mutationFn: () => run(() => call('/admin/second-factor/passkey-link', { administrator: name })),
    gcTime: 0,
  });
  return (
    <div>
      <Failure error={make.error} />
      {make.data === undefined ? (
        <Button
          variant="default"
          loading={make.isPending}
          onClick={() => {
            make.mutate();
          }}
        >
          {t.link}
        </Button>
      ) : (
        <ShownOnce lead={t.linkMade(format.time(make.data.expires_at))} secret={make.data.link} />
      )}
      {dialog}
    </div>
  );
}

function Removal({ name }: { readonly name: string }): ReactNode {
  const t = useTexts(administratorTexts);
  return (
    <AskingButton label={t.removeFactor}>
      {(close) => (
        <ConfirmedDialog
          title={t.removeFactorTitle(name)}
          action={t.removeFactor}
          act={() => call('/admin/second-factor/remove', { administrator: name })}
          onCancel={close}
        >
          {t.removeFactorText}
        </ConfirmedDialog>
      )}
    </AskingButton>
  );
}
