import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import type { Overview } from './use-overview.ts';
import { Chart, type Series } from './chart.tsx';
import classes from './overview.module.css';
import { type OutcomeGroup, outcomeRows, responseSeries } from './overview-figures.ts';
import { overviewTexts } from './overview-texts.ts';

type Responses = NonNullable<Overview['responses']>;

const COLOUR_OF: Readonly<Record<OutcomeGroup, Series['colour']>> = {
  accepted: 'green',
  wrong: 'red',
  over: 'yellow',
  blocked: 'violet',
  other: 'grey',
};

/** Responses of the last hour, by outcome, with the time that their verification took. */
export function ResponseSection({ responses }: { readonly responses: Responses }): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  const series = responseSeries(responses);
  const labels = responses.minutes.map(({ minute }) => format.minute(minute));
  const milliseconds = (value: number | null): string =>
    value === null ? '–' : t.milliseconds(format.number(value));
  return (
    <section className={classes.section}>
      <h2>{t.responses}</h2>
      <p className={classes.meaning}>{t.responsesMeaning}</p>
      {series.length === 0 ? (
        <p>{t.noResponses}</p>
      ) : (
        <>
          <div className={classes.columns}>
            <Chart
              kind="bar"
              caption={t.responsesCaption}
              description={t.responsesChart}
              labels={labels}
              series={series.map(({ group, counts }) => ({
                name: t.groups[group],
                colour: COLOUR_OF[group],
                values: counts,
              }))}
            />
            <Chart
              kind="line"
              caption={t.latencyCaption}
              description={t.latencyChart}
              labels={labels}
              series={[
                { name: t.half, colour: 'blue', values: responses.minutes.map(({ p50 }) => p50) },
                { name: t.most, colour: 'violet', values: responses.minutes.map(({ p95 }) => p95) },
              ]}
            />
          </div>
          <p className={classes.meaning}>
            {t.latency}: {t.half} {milliseconds(responses.p50)}, {t.most} {milliseconds(responses.p95)} (
            {t.latencyMeaning})
          </p>
          <OutcomeTable outcomes={responses.outcomes} />
          <details>
            <summary>{t.asTable}</summary>
            <MinuteTable responses={responses} labels={labels} />
          </details>
        </>
      )}
    </section>
  );
}

function OutcomeTable({ outcomes }: Pick<Responses, 'outcomes'>): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.outcome}</Table.Th>
          <Table.Th className={classes.number}>{t.number}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {outcomeRows(outcomes).map(([outcome, count]) => (
          <Table.Tr key={outcome}>
            <Table.Td>{t.outcomes[outcome] ?? outcome}</Table.Td>
            <Table.Td className={classes.number}>{format.number(count)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface MinuteTableProps {
  readonly responses: Responses;
  readonly labels: readonly string[];
}

/** The minutes with responses, newest first. */
function MinuteTable({ responses, labels }: MinuteTableProps): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  const series = responseSeries(responses);
  const rows = responses.minutes.map((minute, place) => ({ ...minute, place })).reverse();
  return (
    <div className={classes.wide} role="region" aria-label={t.asTable} tabIndex={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.time}</Table.Th>
            {series.map(({ group }) => (
              <Table.Th key={group} className={classes.number}>
                {t.groups[group]}
              </Table.Th>
            ))}
            <Table.Th className={classes.number}>{t.half}</Table.Th>
            <Table.Th className={classes.number}>{t.most}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows
            .filter(({ p50 }) => p50 !== null)
            .map(({ minute, place, p50, p95 }) => (
              <Table.Tr key={minute}>
                <Table.Th scope="row">{labels[place]}</Table.Th>
                {series.map(({ group, counts }) => (
                  <Table.Td key={group} className={classes.number}>
                    {format.number(counts[place] ?? 0)}
                  </Table.Td>
                ))}
                <Table.Td className={classes.number}>{t.milliseconds(format.number(p50 ?? 0))}</Table.Td>
                <Table.Td className={classes.number}>{t.milliseconds(format.number(p95 ?? 0))}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
