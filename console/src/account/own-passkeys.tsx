import { Button, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ConfirmedDialog } from '../confirmation/confirmed-dialog.tsx';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { useSignInMethods } from '../design/installation.tsx';
import { Loaded } from '../design/loaded.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { createPasskey, hasPasskeys } from '../sign-in/web-authn.ts';
import { accountTexts } from './account-texts.ts';
import { Section } from './section.tsx';
import classes from './section.module.css';

type Passkey = ValueOf<'/admin/passkey/list'>[number];

const KEY = ['passkeys'];

/** The caller's passkeys. */
export function OwnPasskeys(): ReactNode {
  const t = useTexts(accountTexts);
  const methods = useSignInMethods();
  return (
    <Section title={t.passkeys} lead={t.passkeysLead}>
      <Loaded query={methods}>
        {({ has_passkeys: areOffered, no_passkeys_reason: off }) =>
          areOffered && hasPasskeys() ? <PasskeyList /> : <Text>{t.passkeysOff[off ?? 'browser']}</Text>
        }
      </Loaded>
    </Section>
  );
}

function PasskeyList(): ReactNode {
  const t = useTexts(accountTexts);
  const [removed, setRemoved] = useState<Passkey>();
  const close = (): void => {
    setRemoved(undefined);
  };
  const passkeys = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call('/admin/passkey/list', {}, { signal }),
  });
  return (
    <>
      <Loaded query={passkeys}>
        {(listed) =>
          listed.length === 0 ? (
            <Text>{t.noPasskeys}</Text>
          ) : (
            <PasskeyTable listed={listed} onRemove={setRemoved} />
          )
        }
      </Loaded>
      {removed !== undefined && (
        <DialogBoundary onClose={close}>
          <Removal passkey={removed} onClose={close} />
        </DialogBoundary>
      )}
      <Addition />
    </>
  );
}

interface PasskeyTableProps {
  readonly listed: readonly Passkey[];
  readonly onRemove: (passkey: Passkey) => void;
}

function PasskeyTable({ listed, onRemove }: PasskeyTableProps): ReactNode {
  const t = useTexts(accountTexts);
  const format = useFormat();
  return (
    <RecordTable
      label={t.passkeys}
      columns={[
        [t.name, ({ name }) => name],
        [t.created, ({ created_at: created }) => format.time(created)],
        [t.lastUsed, ({ last_used_at: at }) => (at === null ? t.never : format.time(at))],
      ]}
      rows={listed}
      keyOf={({ id }) => id}
      act={{ name: t.remove, of: ({ name }) => name, onClick: onRemove }}
    />
  );
}

function Removal({
  passkey,
  onClose,
}: {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}): ReactNode {
  const t = useTexts(accountTexts);
  return (
    <ConfirmedDialog
      title={t.removeTitle(passkey.name)}
      action={t.remove}
      act={() => call('/admin/passkey/remove', { id: passkey.id })}
      onCancel={onClose}
    >
      {t.removeText}
    </ConfirmedDialog>
  );
}

function Addition(): ReactNode {
  const t = useTexts(accountTexts);
  const { run, dialog } = useConfirmation();
  const reread = useReread();
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: async () => {
      const { options } = await run(() => call('/admin/passkey/options'));
      await call('/admin/sign-in/passkey', { credential: await createPasskey(options), name });
    },
    onSuccess: async () => {
      setName('');
      await reread();
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <>
      <form className={classes.form} onSubmit={submit}>
        <Failure error={add.error instanceof DOMException ? new Error(t.notMade) : add.error} />
        <TextInput
          label={t.newName}
          description={t.newNameHint}
          required
          withAsterisk={false}
          maxLength={64}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          {t.add}
        </Button>
      </form>
      {dialog}
    </>
  );
}
