import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * One screen of the app: a heading that takes the focus when the screen opens, and its content.
 * @param pageTitle of the page, where the heading is private: browsers keep titles in their history, in the clear
 */
export function Screen({
  title,
  pageTitle = title,
  children,
}: {
  title: string;
  pageTitle?: string;
  children: ComponentChildren;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${pageTitle} – Tankeeper`;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <main class="screen">
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </main>
  );
}
