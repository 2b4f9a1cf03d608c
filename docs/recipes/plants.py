from urllib.parse import urljoin

import requests


class PlantError(Exception):
    """A failure, with its status and its number in the catalogue of errors, if it came from the store."""

    def __init__(self, response):
        self.status = response.status_code
        try:
            self.error = response.json()["error"]
            message = response.json()["message"]
        except (ValueError, KeyError, TypeError):  # a proxy answered
            self.error, message = None, response.reason
        super().__init__(f"{self.status} {message}")


class Plants:
    def __init__(self, base_url, token):
        self.url = f"{base_url}/plants"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def create(self, id, name, tag=None):
        plant = {"id": id, "name": name, **({} if tag is None else {"tag": tag})}
        return self._send("POST", self.url, json=plant).json()

    def list(self):
        """Yields all plants, page by page: Link is relative to the page that it came with."""
        url = f"{self.url}?limit=500"
        while url:
            response = self._send("GET", url)
            yield from response.json()
            following = response.links.get("next")
            url = following and urljoin(response.url, following["url"])

    def delete(self, id):
        self._send("DELETE", f"{self.url}/{id}")

    def _send(self, method, url, **options):
        response = self.session.request(method, url, timeout=30, **options)
        if not response.ok:
            raise PlantError(response)
        return response
