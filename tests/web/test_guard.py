"""Who is let in, and what everybody else hears: nothing."""

import pytest
from starlette.testclient import TestClient

from conftest import Repo
from web.pages import HOME, PORT, Browser

WORDS = "Use WAL mode"
#: How every browser begins to say who it is.
BROWSER = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"}
FOREIGN = [
    {"host": "evil.example"},
    {"host": f"evil.example:{PORT}"},
    {"host": "127.0.0.1:9"},
    {"host": f"127.0.0.1.evil.example:{PORT}"},
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": f"http://localhost:{PORT}"},
    {"origin": f"https://127.0.0.1:{PORT}"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
]
PATHS = ["/", "/search?q=wal", "/static/style.css", "/nosuch", "/branches", "/?token=", "/?token=x"]


@pytest.fixture
def page(repo: Repo) -> Browser:
    repo.tr.remember(WORDS, type="decision")
    return Browser(repo)


@pytest.fixture
def stranger(page: Browser) -> TestClient:
    """Somebody who found the port."""
    return TestClient(page.client.app, base_url=HOME, follow_redirects=False)


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_there_is_not_a_word(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)

    assert answer.status_code == 403
    assert "WAL" not in answer.text
    assert len(answer.text) < 80


def test_nothing_is_done_without_the_token(stranger: TestClient, page: Browser) -> None:
    answer = stranger.post("/remember", data={"content": "x", "key": page.keys.form})

    assert answer.status_code == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(
    stranger: TestClient, page: Browser
) -> None:
    answer = stranger.get(f"/search?q=wal&token={page.keys.token}", headers=BROWSER)

    assert answer.status_code == 303
    assert answer.headers["location"] == "/search?q=wal"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"treering-{PORT}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert WORDS in stranger.get("/search?q=wal").text


def test_the_way_on_is_never_another_machine(stranger: TestClient, page: Browser) -> None:
    address = f"{HOME}//evil.example/x?token={page.keys.token}"
    answer = stranger.get(address, headers=BROWSER)

    assert answer.headers["location"] == "/evil.example/x"


def test_a_program_with_the_token_is_answered_at_once(stranger: TestClient, page: Browser) -> None:
    """It has no address bar to keep clean."""
    answer = stranger.get(f"/search?q=wal&token={page.keys.token}")

    assert answer.status_code == 200
    assert WORDS in answer.text
    assert answer.headers["set-cookie"].startswith(f"treering-{PORT}=")
    assert WORDS in stranger.get("/search?q=wal").text


@pytest.mark.parametrize("headers", [{}, BROWSER], ids=["program", "browser"])
def test_a_token_works_once(stranger: TestClient, page: Browser, headers: dict[str, str]) -> None:
    address = f"/search?q=wal&token={page.keys.token}"
    stranger.get(address, headers=headers)
    again = stranger.get(address, headers=headers)  # whoever has the cookie may come back
    stranger.cookies.clear()

    answer = stranger.get(address, headers=headers)

    assert again.status_code in (200, 303)
    assert answer.status_code == 403
    assert WORDS not in answer.text


def test_the_cookie_is_not_the_token(stranger: TestClient, page: Browser) -> None:
    answer = stranger.get(f"/?token={page.keys.token}", headers=BROWSER)
    assert page.keys.token not in answer.headers["set-cookie"]
    stranger.cookies.clear()
    stranger.cookies.set(f"treering-{PORT}", page.keys.token)

    assert stranger.get("/").status_code == 403


def test_a_browser_that_comes_from_a_file_keeps_the_cookie(
    stranger: TestClient, page: Browser
) -> None:
    """A redirect of a visit from elsewhere comes without it: the page itself leads on."""
    headers = BROWSER | {
        "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document",
    }  # fmt: skip

    answer = stranger.get(f"/search?q=wal&token={page.keys.add_token()}", headers=headers)

    assert answer.status_code == 200
    assert answer.headers["refresh"] == "0;url=/search?q=wal"
    assert answer.text == ""


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_of_other_sites_are_refused(
    page: Browser, headers: dict[str, str], method: str
) -> None:
    """Even with the cookie: a name that leads here, or a page in the same browser."""
    answer = page.client.request(method, "/", headers=headers)

    assert answer.status_code == 403
    assert WORDS not in answer.text


def test_a_link_from_elsewhere_may_be_followed(page: Browser) -> None:
    headers = {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    }

    assert page.client.get("/", headers=headers).status_code == 200


def test_own_requests_are_answered(page: Browser) -> None:
    headers = {"origin": HOME, "sec-fetch-site": "same-origin"}

    assert page.client.get("/", headers=headers).status_code == 200


def test_a_form_of_another_page_does_nothing(page: Browser, repo: Repo) -> None:
    for key in ("", "guess", page.keys.token):
        answer = page.client.post("/remember", data={"content": "Planted", "key": key})
        assert answer.status_code == 403

    assert repo.titles() == {WORDS}


def test_a_form_is_a_form(page: Browser) -> None:
    """What other content types a page can send without asking are not taken for one."""
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/json"):
        answer = page.client.post(
            "/remember", content=f"key={page.keys.form}&content=x", headers={"content-type": kind}
        )
        assert answer.status_code == 403


def test_every_answer_forbids_what_is_not_ours(page: Browser, stranger: TestClient) -> None:
    for answer in (page.client.get("/"), page.client.get("/nosuch"), stranger.get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"


def test_pages_have_neither_inline_script_nor_style(page: Browser) -> None:
    for path in ("/", "/search", "/branches", "/files", "/review", "/graph", "/branches/main"):
        html = page.get(path).html
        assert "<script>" not in html
        assert " style=" not in html
        assert "http" not in html.replace("http://www.w3.org/2000/svg", "")


def test_read_only_changes_nothing(repo: Repo) -> None:
    memory = repo.tr.remember(WORDS, type="decision")
    page = Browser(repo, is_read_only=True)
    buttons = {"Revise", "Forget", "Supersede", "Promote", "Restore", "Apply plan", "Undo", "Keep"}

    for path in ("/", f"/memory/{memory.id}", "/branches", "/review"):
        assert not buttons & set(page.get(path).buttons)
    for path in ("/", "/remember", f"/memory/{memory.id}/forget", "/branches/apply", "/undo"):
        answer = page.client.post(path, data={"key": page.keys.form, "content": "x"})
        assert answer.status_code == 403
    assert repo.titles() == {WORDS}


def test_other_methods_are_refused(page: Browser) -> None:
    assert page.client.delete("/memory/x").status_code == 405
    assert page.client.options("/").status_code == 405


def test_a_request_that_is_too_large_is_refused(page: Browser) -> None:
    answer = page.client.post("/remember", content=b"x" * (3 * 1024 * 1024))

    assert answer.status_code == 413


@pytest.mark.parametrize("name", ["../app.py", "..%2fapp.py", "%2e%2e/guard.py", ".hidden", "no"])
def test_only_our_own_static_files_are_sent(page: Browser, name: str) -> None:
    assert page.client.get(f"/static/{name}").status_code == 404
