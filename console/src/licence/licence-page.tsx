import { Badge, Button, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { AskingButton, ConfirmedDialog } from '../confirmation/confirmed-dialog.tsx';
import { Card, CardList, Facts } from '../design/card.tsx';
import card from '../design/card.module.css';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { licenceTexts } from './licence-texts.ts';

type Licence = NonNullable<ValueOf<'/system/licence'>>;

/** Shows the licence, installs and removes it. */
export default function LicencePage(): ReactNode {
  const t = useTexts(licenceTexts);
  const mayChange = useSession().may('system', 'write');
  const licence = useQuery({
    queryKey: ['licence'],
    queryFn: ({ signal }) => call('/system/licence', {}, { signal }),
  });
  return (
    <Page title={t.title} lead={t.lead}>
      <Loaded query={licence}>
        {(installed) =>
          installed === null ? (
            <Text>{t.none}</Text>
          ) : (
            <CardList label={t.title}>
              <LicenceCard licence={installed} mayChange={mayChange} />
            </CardList>
          )
        }
      </Loaded>
      {mayChange && <Installation />}
    </Page>
  );
}

interface LicenceCardProps {
  readonly licence: Licence;
  readonly mayChange: boolean;
}

function LicenceCard({ licence, mayChange }: LicenceCardProps): ReactNode {
  const t = useTexts(licenceTexts);
  const { valid, reason, fields } = licence;
  return (
    <Card
      title={String(fields.licensee ?? t.title)}
      badges={
        <Badge variant="light" color={valid ? 'green' : 'red'}>
          {valid ? t.valid : t.invalid}
        </Badge>
      }
      actions={mayChange && <Removal />}
    >
      {reason !== null && <Text>{reason}</Text>}
      <Volume licence={licence} />
      {Object.keys(fields).length > 0 && (
        <details>
          <summary>{t.signed}</summary>
          <Facts facts={Object.entries(fields).map(([name, value]) => [name, String(value)])} />
        </details>
      )}
    </Card>
  );
}

/** The volume of the licence, and its use. */
function Volume({ licence }: Pick<LicenceCardProps, 'licence'>): ReactNode {
  const t = useTexts(licenceTexts);
  const format = useFormat();
  const { unit, licensed, active, starts, ends } = licence;
  const left = licensed === null || active === null ? null : licensed - active;
  const numbers = [
    [t.licensed, licensed],
    [t.active, active],
    [t.left, left],
  ] as const;
  const times = [
    [t.starts, starts],
    [t.ends, ends],
  ] as const;
  return (
    <Facts
      facts={[
        unit === null ? null : [t.counts, t.units[unit]],
        ...numbers.map(([term, value]) => (value === null ? null : ([term, format.number(value)] as const))),
        ...times.map(([term, value]) => (value === null ? null : ([term, format.time(value)] as const))),
      ]}
    />
  );
}

function Removal(): ReactNode {
  const t = useTexts(licenceTexts);
  return (
    <AskingButton label={t.remove} size="xs">
      {(close) => (
        <ConfirmedDialog
          title={t.removeTitle}
          action={t.remove}
          act={() => call('/system/licence/remove')}
          changes={['licence']}
          onCancel={close}
        >
          <Text>{t.removeText}</Text>
        </ConfirmedDialog>
      )}
    </AskingButton>
  );
}

function Installation(): ReactNode {
  const t = useTexts(licenceTexts);
  const reread = useReread();
  const [text, setText] = useState('');
  const installing = useMutation({
    mutationFn: () => call('/system/licence/install', { licence: text }),
    onSuccess: () => {
      setText('');
      return reread(['licence']);
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    installing.mutate();
  };
  return (
    <section>
      <Title order={2} size="h4">
        {t.installTitle}
      </Title>
      <form className={card.form} onSubmit={submit}>
        <Textarea
          className={card.mono}
          label={t.text}
          description={t.textHint}
          rows={6}
          required
          withAsterisk={false}
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
          }}
        />
        <Failure error={installing.error} />
        {installing.isSuccess && <Text role="status">{t.installed}</Text>}
        <div>
          <Button type="submit" loading={installing.isPending}>
            {t.install}
          </Button>
        </div>
      </form>
    </section>
  );
}
