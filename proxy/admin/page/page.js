'use strict';
// Without this script the page is loaded again every ten seconds. With it only
// what is live is replaced, so that neither the focus nor what was typed is lost.
(() => {
  const live = (root) => [...root.querySelectorAll('[data-live]')];
  const lost = document.getElementById('lost');
  const update = async () => {
    let now;
    try {
      const answer = await fetch(location.href, { cache: 'no-store' });
      if (!answer.ok) throw new Error(answer.status);
      now = new DOMParser().parseFromString(await answer.text(), 'text/html');
      lost.hidden = true;
    } catch {
      if (lost.hidden) lost.hidden = false;
      return;
    }
    const ids = (root) => live(root).map((e) => e.id).join(' ');
    if (ids(now) !== ids(document)) return location.reload();
    for (const old of live(document)) {
      const fresh = now.getElementById(old.id);
      if (fresh.innerHTML !== old.innerHTML) old.replaceChildren(...fresh.childNodes);
    }
  };
  setInterval(update, 2000);
})();
