import type { ReactNode } from 'react';
import { type Format, useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import type { Overview } from './use-overview.ts';
import classes from './overview.module.css';
import { overviewTexts } from './overview-texts.ts';

/** Licence, configuration and encryption. */
export function InstallationSection({ overview }: { readonly overview: Overview }): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  const { licence, configuration, storage_encryption: isEncrypted } = overview;
  if (licence === null && configuration === null && isEncrypted === null) {
    return null;
  }
  return (
    <section className={classes.section}>
      <h2>{t.installation}</h2>
      <dl className={classes.states}>
        {licence !== null && (
          <StateRow name={t.licence} isGood={licence.state !== 'invalid'}>
            {licenceWords(licence, t, format)}
          </StateRow>
        )}
        {configuration !== null && (
          <StateRow name={t.configuration} isGood={configuration.sync}>
            {configuration.sync ? t.inSync(format.time(configuration.changed_at)) : t.notInSync}
          </StateRow>
        )}
        {isEncrypted !== null && (
          <StateRow name={t.encryption} isGood={isEncrypted}>
            {isEncrypted ? t.encrypted : t.notEncrypted}
          </StateRow>
        )}
      </dl>
    </section>
  );
}

interface StateRowProps {
  readonly name: string;
  readonly isGood: boolean;
  readonly children: ReactNode;
}

function StateRow({ name, isGood, children }: StateRowProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isGood ? undefined : classes.bad}>{children}</dd>
    </div>
  );
}

function licenceWords(
  { state, reason, unit, licensed, active, ends_at: ends }: NonNullable<Overview['licence']>,
  t: (typeof overviewTexts)['en'],
  format: Format,
): string {
  if (state === 'none') {
    return t.noLicence;
  }
  const use =
    active !== null && licensed !== null
      ? [t.licenceUse(format.number(active), format.number(licensed), unit)]
      : [];
  const end = ends === null ? [] : [t.licenceEnds(format.time(ends))];
  return [...(reason === null ? [] : [t.licenceReasons[reason]]), ...use, ...end].join('; ');
}
