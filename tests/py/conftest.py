"""The service, once for every file of tests that talk HTTP."""

from collections.abc import Iterator

import pytest

from app.postgres import Server
from tests.databases import clone
from tests.service import Service, Workspace, serving


@pytest.fixture(scope="module")
def service(server: Server, template: str) -> Iterator[Service]:
    """The application on a database that the tests of one file share; each makes workspaces of its own."""
    with clone(server, template) as database, serving(database) as service:
        yield service


@pytest.fixture
def workspace(service: Service) -> Workspace:
    """A workspace that no other test knows."""
    return service.workspace()
