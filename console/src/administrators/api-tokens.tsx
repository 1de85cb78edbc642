import { Button, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { Section } from '../account/section.tsx';
import classes from '../account/section.module.css';
import { call, type ValueOf } from '../api/call.ts';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { apiTokenTexts } from './api-token-texts.ts';
import { ShownOnce } from './shown-once.tsx';

type ApiToken = ValueOf<'/admin/api-tokens'>[number];

interface ApiTokensProps {
  readonly administrator: string;
  readonly mayChange: boolean;
}

/** The API tokens of an administrator. */
export function ApiTokens({ administrator, mayChange }: ApiTokensProps): ReactNode {
  const t = useTexts(apiTokenTexts);
  const [removed, setRemoved] = useState<ApiToken>();
  const tokens = useQuery({
    queryKey: ['api-tokens', administrator],
    queryFn: ({ signal }) => call('/admin/api-tokens', { administrator }, { signal }),
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
        <Removal
          token={removed}
          onClose={() => {
            setRemoved(undefined);
          }}
        />
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
    <Table.ScrollContainer minWidth={0} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.name}</Table.Th>
            <Table.Th>{t.rights}</Table.Th>
            <Table.Th>{t.created}</Table.Th>
            <Table.Th>{t.expires}</Table.Th>
            {onRemove !== undefined && (
              <Table.Th>
                <VisuallyHidden>{t.remove}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listed.map((token) => (
            <Table.Tr key={token.name}>
              <Table.Td>{token.name}</Table.Td>
              <Table.Td>{token.rights.join(', ')}</Table.Td>
              <Table.Td>{format.time(token.created)}</Table.Td>
              <Table.Td>{token.expires === null ? t.never : format.time(token.expires)}</Table.Td>
              {onRemove !== undefined && (
                <Table.Td>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`${t.remove}: ${token.name}`}
                    onClick={() => {
                      onRemove(token);
                    }}
                  >
                    {t.remove}
                  </Button>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Removal({ token, onClose }: { readonly token: ApiToken; readonly onClose: () => void }): ReactNode {
  const t = useTexts(apiTokenTexts);
  const queries = useQueryClient();
  const { name, administrator } = token;
  const remove = useMutation({
    mutationFn: () => call('/admin/api-tokens/remove', { administrator, name }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['api-tokens'] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={t.removeTitle(name)}
      action={t.remove}
      isDangerous
      isRunning={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        remove.mutate();
      }}
      onCancel={onClose}
    >
      {t.removeText}
    </ConfirmDialog>
  );
}

const EMPTY = { name: '', rights: '', expires: '' };

function Addition({ administrator }: { readonly administrator: string }): ReactNode {
  const t = useTexts(apiTokenTexts);
  const queries = useQueryClient();
  const { run, dialog } = useConfirmation();
  const [draft, setDraft] = useState(EMPTY);
  const add = useMutation({
    mutationFn: () => run(() => call('/admin/api-tokens/add', { administrator, ...draft })),
    onSuccess: async () => {
      setDraft(EMPTY);
      await queries.invalidateQueries({ queryKey: ['api-tokens'] });
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
