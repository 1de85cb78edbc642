import { Button, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { Section } from '../account/section.tsx';
import classes from '../account/section.module.css';
import { call, type ValueOf } from '../api/call.ts';
import { ConfirmedDialog } from '../confirmation/confirmed-dialog.tsx';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { apiTokenTexts } from './api-token-texts.ts';
import { ShownOnce } from './shown-once.tsx';

type ApiToken = ValueOf<'/admin/api-token/list'>[number];

interface ApiTokensProps {
  readonly administrator: string;
  readonly mayChange: boolean;
}

/** The API tokens of an administrator. */
export function ApiTokens({ administrator, mayChange }: ApiTokensProps): ReactNode {
  const t = useTexts(apiTokenTexts);
  const [removed, setRemoved] = useState<ApiToken>();
  const close = (): void => {
    setRemoved(undefined);
  };
  const tokens = useQuery({
    queryKey: ['api-tokens', administrator],
    queryFn: ({ signal }) => call('/admin/api-token/list', { administrator }, { signal }),
  });
  return (
    <Section title={t.title} lead={t.lead}>
      <Loaded query={tokens}>
        {(listed) =>
          listed.length === 0 ? (
            <Text>{t.none}</Text>
          ) : (
            <TokenTable listed={listed} onRemove={mayChange ? setRemoved : undefined} />
          )
        }
      </Loaded>
      {removed !== undefined && (
        <DialogBoundary onClose={close}>
          <Removal token={removed} onClose={close} />
        </DialogBoundary>
      )}
      {mayChange && <Addition administrator={administrator} />}
    </Section>
  );
}

interface TokenTableProps {
  readonly listed: readonly ApiToken[];
  readonly onRemove: ((token: ApiToken) => void) | undefined;
}

function TokenTable({ listed, onRemove }: TokenTableProps): ReactNode {
  const t = useTexts(apiTokenTexts);
  const format = useFormat();
  return (
    <RecordTable
      label={t.title}
      columns={[
        [t.name, ({ name }) => name],
        [t.rights, ({ rights }) => rights.join(', ')],
        [t.created, ({ created_at: created }) => format.time(created)],
        [t.expires, ({ expires_at: expires }) => (expires === null ? t.never : format.time(expires))],
      ]}
      rows={listed}
      keyOf={({ name }) => name}
      act={onRemove && { name: t.remove, of: ({ name }) => name, onClick: onRemove }}
    />
  );
}

function Removal({ token, onClose }: { readonly token: ApiToken; readonly onClose: () => void }): ReactNode {
  const t = useTexts(apiTokenTexts);
  const { name, administrator } = token;
  return (
    <ConfirmedDialog
      title={t.removeTitle(name)}
      action={t.remove}
      act={() => call('/admin/api-token/remove', { administrator, name })}
      changes={['api-tokens']}
      onCancel={onClose}
    >
      {t.removeText}
    </ConfirmedDialog>
  );
}

const EMPTY = { name: '', rights: '', expires: '' };

function Addition({ administrator }: { readonly administrator: string }): ReactNode {
  const t = useTexts(apiTokenTexts);
  const reread = useReread();
  const { run, dialog } = useConfirmation();
  const [draft, setDraft] = useState(EMPTY);
  const add = useMutation({
    mutationFn: () => run(() => call('/admin/api-token/add', { administrator, ...draft })),
    onSuccess: async () => {
      setDraft(EMPTY);
      await reread(['api-tokens']);
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  const field = (name: keyof typeof EMPTY, description: string): ReactNode => (
    <TextInput
      label={t[name]}
      description={description}
      autoComplete="off"
      required={name !== 'expires'}
      withAsterisk={false}
      value={draft[name]}
      onChange={({ currentTarget: { value } }) => {
        setDraft((before) => ({ ...before, [name]: value }));
      }}
    />
  );
  return (
    <>
      <form className={classes.form} onSubmit={submit}>
        {field('name', t.nameHint)}
        {field('rights', t.rightsHint)}
        {field('expires', t.expiresHint)}
        <Failure error={add.error} />
        {add.data !== undefined && <ShownOnce lead={t.made} secret={add.data.token} />}
        <Button type="submit" variant="default" loading={add.isPending}>
          {t.add}
        </Button>
      </form>
      {dialog}
    </>
  );
}
