import { Button, Checkbox, Fieldset, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Fragment, type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../api/call.ts';
import card from '../design/card.module.css';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import type { ShownResolver } from '../realms/realm-queries.ts';
import { LDAP_PRESETS } from './ldap-presets.ts';
import { type Draft, parametersOf, type ResolverKind, settingsInForm } from './resolver-draft.ts';
import { resolverTexts } from './resolver-texts.ts';
import { SettingField } from './setting-field.tsx';
import { type Trial, TrialResult } from './trial-result.tsx';

interface ResolverFormProps {
  readonly kind: ResolverKind;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** The resolver as it was read; undefined: a new one. */
  readonly stored: ShownResolver | undefined;
  /** Reads it anew, and forgets the password that was typed. */
  readonly onSaved: () => Promise<void>;
  /** Fields before the settings. */
  readonly children?: ReactNode;
}

/** The trial and the saving of what is in the form, which end each other's results. */
function useActs({ draft, stored, kind, onSaved }: ResolverFormProps) {
  const [trial, setTrial] = useState<Trial>();
  // Answers without secrets, but the parameters hold one.
  const parameters = parametersOf(draft, kind);
  const tryOut = (find: string): Promise<Trial> =>
    call('/admin/resolver/test', { ...parameters, kind: kind.kind, find });
  const trying = useMutation({
    mutationFn: tryOut,
    onMutate: (find) => {
      if (find === '') {
        setTrial(undefined);
      }
    },
    onSuccess: setTrial,
    gcTime: 0,
  });
  const saving = useMutation({
    mutationFn: async ({ isTried }: { readonly isTried: boolean }) => {
      const found = isTried ? await tryOut('') : undefined;
      setTrial(found);
      if (found?.is_readable === false) {
        return false;
      }
      return stored === undefined
        ? call('/admin/resolver/add', { ...parameters, kind: kind.kind })
        : call('/admin/resolver/set', { ...parameters, expected: JSON.stringify(stored.settings) });
    },
    onSuccess: (isSaved) => (isSaved ? onSaved() : undefined),
    gcTime: 0,
  });
  return { trial, trying, saving, isBusy: trying.isPending || saving.isPending };
}

/** The settings of a resolver: tried before they are saved, and saved in spite of a failure only on request. */
export function ResolverForm(props: ResolverFormProps): ReactNode {
  const { kind, draft, onDraft, stored, children } = props;
  const t = useTexts(resolverTexts);
  const { trial, trying, saving, isBusy } = useActs(props);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    trying.reset();
    saving.mutate({ isTried: true });
  };
  const edit = (next: Draft): void => {
    if (saving.isSuccess) {
      saving.reset();
    }
    onDraft(next);
  };
  return (
    <form className={card.form} onSubmit={submit}>
      {children}
      {kind.kind === 'ldap' && <Presets draft={draft} onDraft={edit} isNew={stored === undefined} />}
      <SettingFields kind={kind} draft={draft} onDraft={edit} stored={stored} />
      <Failure error={trying.error ?? saving.error} />
      {trial !== undefined && (
        <TrialResult trial={trial} isFinding={trying.isPending} onFind={trying.mutate} />
      )}
      {saving.data === true && <Text role="status">{t.saved}</Text>}
      <Text c="dimmed">{t.saveHint}</Text>
      <Group>
        <Button type="submit" loading={saving.isPending} disabled={isBusy}>
          {t.save}
        </Button>
        <Button
          variant="default"
          loading={trying.isPending}
          disabled={isBusy}
          onClick={() => {
            saving.reset();
            trying.mutate('');
          }}
        >
          {t.test}
        </Button>
        {trial?.is_readable === false && (
          <Button
            variant="default"
            disabled={isBusy}
            onClick={() => {
              saving.mutate({ isTried: false });
            }}
          >
            {t.saveAnyway}
          </Button>
        )}
      </Group>
    </form>
  );
}

/** Fills in what follows from the kind of a directory. */
function Presets({
  draft,
  onDraft,
  isNew,
}: Pick<ResolverFormProps, 'draft' | 'onDraft'> & { readonly isNew: boolean }): ReactNode {
  const t = useTexts(resolverTexts);
  return (
    <Fieldset legend={t.presets} className={card.form}>
      <Text size="sm">{isNew ? t.presetsHint : t.presetsWarning}</Text>
      <Group gap="xs">
        {LDAP_PRESETS.map(({ name, values }) => (
          <Button
            key={name}
            size="xs"
            variant="default"
            onClick={() => {
              onDraft({ ...draft, values: { ...draft.values, ...values } });
            }}
          >
            {name}
          </Button>
        ))}
      </Group>
    </Fieldset>
  );
}

function SettingFields({
  kind,
  draft,
  onDraft,
  stored,
}: Pick<ResolverFormProps, 'kind' | 'draft' | 'onDraft' | 'stored'>): ReactNode {
  const t = useTexts(resolverTexts);
  const settings = settingsInForm(kind);
  const groups = [
    [t.needed, settings.filter(({ is_required: isRequired }) => isRequired)],
    [t.optional, settings.filter(({ is_required: isRequired }) => !isRequired)],
  ] as const;
  return groups.map(
    ([legend, own]) =>
      own.length > 0 && (
        <Fieldset key={legend} legend={legend} className={card.form}>
          {own.map((setting) => (
            <Fragment key={setting.name}>
              <SettingField
                kind={kind.kind}
                setting={setting}
                value={draft.values[setting.name] ?? ''}
                isDisabled={setting.is_secret === true && draft.removesPassword}
                onChange={(value) => {
                  onDraft({ ...draft, values: { ...draft.values, [setting.name]: value } });
                }}
              />
              {setting.is_secret === true && stored?.has_secret === true && (
                <Checkbox
                  label={t.removesPassword}
                  checked={draft.removesPassword}
                  onChange={({ currentTarget: { checked } }) => {
                    const values = { ...draft.values, [setting.name]: '' };
                    onDraft({ ...draft, values, removesPassword: checked });
                  }}
                />
              )}
            </Fragment>
          ))}
        </Fieldset>
      ),
  );
}
