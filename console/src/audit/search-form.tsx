import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useId, useState } from 'react';
import { call } from '../api/call.ts';
import { Folded } from '../design/folded.tsx';
import { useFormat } from '../language/format.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { type AuditForm, EMPTY_FORM, type Period, PERIODS } from './audit-filters.ts';
import { auditTexts } from './audit-texts.ts';
import { typableOutcomes, typedOutcome } from './outcome-words.ts';
import classes from './audit.module.css';

type TextField = Exclude<keyof AuditForm, 'period'>;

/** Those that few searches need. */
const RARE_FIELDS = ['actor', 'realm', 'client', 'transaction_id', 'request_id'] as const;

interface SearchFormProps {
  readonly first: AuditForm;
  readonly isSearching: boolean;
  readonly onSearch: (form: AuditForm) => void;
}

/** The filters of the audit. Known values are offered while typing. */
export function SearchForm({ first, isSearching, onSearch }: SearchFormProps): ReactNode {
  const t = useTexts(auditTexts);
  const language = useLanguage();
  const session = useSession();
  const maySeeTokens = session.may('admin', 'show');
  const [form, setForm] = useState(first);
  const values = useQuery({
    queryKey: ['audit', 'values'],
    queryFn: ({ signal }) => call('/admin/audit/values', {}, { signal }),
    staleTime: Infinity,
  });
  const field = (name: TextField, label: string, known?: readonly string[]): ReactNode => (
    <Field
      key={name}
      label={label}
      value={form[name]}
      known={known}
      onValue={(value) => {
        setForm({ ...form, [name]: value });
      }}
    />
  );
  const outcomes = values.data && typableOutcomes(values.data.outcomes, language, session);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onSearch({ ...form, outcome: typedOutcome(form.outcome, language) });
  };
  return (
    <Folded label={t.filters}>
      <form onSubmit={submit} className={classes.part} aria-label={t.filters}>
        <div className={classes.fields}>
          {field('serial', t.serial)}
          {maySeeTokens && field('user', t.user)}
          {field('outcome', t.outcome, outcomes)}
          {field('action', t.action, values.data?.actions)}
          <PeriodFields form={form} onForm={setForm} />
        </div>
        <details>
          <summary>{t.more}</summary>
          <div className={classes.fields}>{RARE_FIELDS.map((name) => field(name, t[name]))}</div>
        </details>
        <div className={classes.line}>
          <Button type="submit" loading={isSearching}>
            {t.search}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setForm(EMPTY_FORM);
              onSearch(EMPTY_FORM);
            }}
          >
            {t.reset}
          </Button>
        </div>
      </form>
    </Folded>
  );
}

function PeriodFields({
  form,
  onForm,
}: {
  readonly form: AuditForm;
  readonly onForm: (form: AuditForm) => void;
}): ReactNode {
  const t = useTexts(auditTexts);
  const { typedIn } = useFormat();
  const time = (name: 'from' | 'to', label: string): ReactNode => (
    <TextInput
      type="datetime-local"
      label={typedIn(label, form[name])}
      value={form[name]}
      onChange={(event) => {
        onForm({ ...form, [name]: event.currentTarget.value });
      }}
    />
  );
  return (
    <>
      <NativeSelect
        label={t.period}
        value={form.period}
        data={PERIODS.map((period) => ({ value: period, label: t.periods[period] }))}
        onChange={(event) => {
          onForm({ ...form, period: event.currentTarget.value as Period });
        }}
      />
      {form.period === 'own' && (
        <>
          {time('from', t.from)}
          {time('to', t.to)}
        </>
      )}
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly known: readonly string[] | undefined;
  readonly onValue: (value: string) => void;
}

function Field({ label, value, known, onValue }: FieldProps): ReactNode {
  const list = useId();
  return (
    <>
      <TextInput
        label={label}
        value={value}
        autoComplete="off"
        spellCheck={false}
        {...(known !== undefined && { list })}
        onChange={(event) => {
          onValue(event.currentTarget.value);
        }}
      />
      {known !== undefined && (
        <datalist id={list}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}
